#include "packages/archive.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packages/zip_directory.hpp"

namespace grader {
namespace {

/// No archive counts as a bomb up to this unpacked size: a file of zeros can be legitimate.
constexpr std::uint64_t kHonestBytes = std::uint64_t{64} << 20U;

struct CloseArchive {
  void operator()(struct archive* one) const { archive_read_free(one); }
};
using ArchiveHandle = std::unique_ptr<struct archive, CloseArchive>;

/// libarchive's streaming zip reader is not enabled: it accepts files that the central directory does not
/// name.
ArchiveHandle open_archive(int descriptor) {
  constexpr std::size_t kBlock = 64 * 1024;
  ArchiveHandle handle(archive_read_new());
  archive_read_support_filter_gzip(handle.get());
  archive_read_support_filter_xz(handle.get());
  archive_read_support_format_tar(handle.get());
  archive_read_support_format_zip_seekable(handle.get());
  archive_read_support_format_7zip(handle.get());
  archive_read_open_fd(handle.get(), descriptor, kBlock);  // an error here is repeated at the first entry
  return handle;
}

std::string words_of(struct archive* handle) {
  const char* words = archive_error_string(handle);
  return words != nullptr ? words : "no reason given";
}

EntryKind kind_of(struct archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return EntryKind::hard_link;
  if (archive_entry_symlink(entry) != nullptr) return EntryKind::symbolic_link;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return EntryKind::file;
    case AE_IFDIR:
      return EntryKind::folder;
    case AE_IFLNK:
      return EntryKind::symbolic_link;
    default:
      return EntryKind::special;
  }
}

bool ends_with(std::string_view name, std::string_view ending) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return name.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

/// The entry in the first two levels that a path belongs to: "export/submission_1" for
/// "export/submission_1/a/b.cu".
std::string owner_of(const std::string& path) {
  const std::size_t first = path.find('/');
  return path.substr(0, first == std::string::npos ? first : path.find('/', first + 1));
}

class Reading {
 public:
  Reading(int descriptor, const std::vector<SelectedFile>& selected, const ArchiveLimits& limits)
      : descriptor_(descriptor), selected_(selected), limits_(limits), handle_(open_archive(descriptor)) {}

  ArchiveOutcome run(const std::function<void(ArchiveEntry)>& take) {
    struct archive_entry* header = nullptr;
    for (;;) {
      const int status = archive_read_next_header(handle_.get(), &header);
      if (status == ARCHIVE_EOF) break;
      if (status < ARCHIVE_WARN) return broken();
      ArchiveEntry entry = describe(header);
      names_.push_back(entry.path);
      Owner& owner = owners_[limits_.entries_each > 0 ? owner_of(entry.path) : ""];
      // Entries beyond an owner's limit are skipped, so that they do not count against other owners.
      if (++owner.entries > limits_.entries_each && limits_.entries_each > 0) continue;
      if (const auto refused = count(entry)) return {*refused, ""};
      if (entry.kind == EntryKind::file) read_contents(header, entry, owner);
      if ((selected_bytes_ += entry.bytes.size()) > limits_.selected_bytes)
        return {ArchiveEnd::too_large, ""};
      take(std::move(entry));
      if (broken_) return {ArchiveEnd::damaged, words_of(handle_.get())};
    }
    return at_end();
  }

 private:
  static ArchiveEntry describe(struct archive_entry* header) {
    ArchiveEntry entry;
    const char* path = archive_entry_pathname(header);
    if (path == nullptr) path = archive_entry_pathname_utf8(header);
    entry.path = path != nullptr ? path : "";
    entry.kind = kind_of(header);
    const la_int64_t size = archive_entry_size_is_set(header) != 0 ? archive_entry_size(header) : 0;
    entry.size = size > 0 ? static_cast<std::uint64_t>(size) : 0;
    return entry;
  }

  /// Checks the declared sizes against the limits, so that nothing has to be unpacked for that.
  std::optional<ArchiveEnd> count(const ArchiveEntry& entry) {
    if (++entries_ > limits_.entries) return ArchiveEnd::too_many_entries;
    if (entry.size > limits_.unpacked_bytes - unpacked_) return ArchiveEnd::too_large;
    unpacked_ += entry.size;
    return unpacked_ > kHonestBytes && unpacked_ / limits_.bomb_ratio > packed_bytes()
               ? std::optional(ArchiveEnd::bomb)
               : std::nullopt;
  }

  std::uint64_t packed_bytes() const {
    struct stat facts {};
    return ::fstat(descriptor_, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
  }

  struct Owner {
    std::uint64_t entries = 0, selected_bytes = 0;
  };

  void read_contents(struct archive_entry* header, ArchiveEntry& entry, Owner& owner) {
    const SelectedFile* wish = nullptr;
    for (const SelectedFile& one : selected_)
      if (ends_with(entry.path, one.ending)) wish = &one;
    if (wish == nullptr) return;
    if (archive_entry_is_encrypted(header) != 0) {
      entry.contents = Contents::encrypted;
      return;
    }
    entry.contents = read_bytes(wish->max_bytes, entry.bytes);
    if (entry.contents != Contents::present) return;
    entry.size = entry.bytes.size();
    owner.selected_bytes += entry.size;
    if (limits_.selected_bytes_each == 0 || owner.selected_bytes <= limits_.selected_bytes_each) return;
    entry.contents = Contents::too_large;
    entry.bytes.clear();
  }

  /// Declared sizes can be wrong, so the bytes that are read are counted.
  Contents read_bytes(std::uint64_t max_bytes, std::string& bytes) {
    char buffer[64 * 1024];
    for (;;) {
      const la_ssize_t got = archive_read_data(handle_.get(), buffer, sizeof buffer);
      if (got == 0) return Contents::present;
      if (got < 0) {
        broken_ = got <= ARCHIVE_FATAL;
        bytes.clear();
        return Contents::damaged;
      }
      bytes.append(buffer, static_cast<std::size_t>(got));
      if (bytes.size() <= max_bytes) continue;
      bytes.clear();
      return Contents::too_large;
    }
  }

  ArchiveOutcome broken() {
    // If archive_read_has_encrypted_entries() is called before a format is recognised, libarchive 3.6
    // dereferences an invalid pointer.
    if (archive_format(handle_.get()) == 0) return {ArchiveEnd::not_an_archive, words_of(handle_.get())};
    if (archive_read_has_encrypted_entries(handle_.get()) == 1) return {ArchiveEnd::encrypted, ""};
    return {ArchiveEnd::damaged, words_of(handle_.get())};
  }

  ArchiveOutcome at_end() {
    const bool is_zip = (archive_format(handle_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
    if (!is_zip) return {};
    auto directory = zip_directory_names(descriptor_);
    if (!directory) return {ArchiveEnd::damaged, "the directory of the zip cannot be read"};
    if (!name_the_same_files(*std::move(directory), names_)) return {ArchiveEnd::contradictory, ""};
    return {};
  }

  int descriptor_;
  const std::vector<SelectedFile>& selected_;
  const ArchiveLimits limits_;
  ArchiveHandle handle_;
  std::uint64_t entries_ = 0, unpacked_ = 0, selected_bytes_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, Owner> owners_;
  bool broken_ = false;  ///< no further entries can be read
};

}  // namespace

ArchiveOutcome read_archive(int descriptor, const std::vector<SelectedFile>& selected,
                            const ArchiveLimits& limits, const std::function<void(ArchiveEntry)>& take) {
  return Reading(descriptor, selected, limits).run(take);
}

}  // namespace grader
