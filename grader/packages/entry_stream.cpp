#include "packages/entry_stream.hpp"

#include <array>
#include <cstdint>

#include <sys/stat.h>
#include <unistd.h>

namespace grader {
namespace {

constexpr std::uint32_t kMagic = 0x57475031;  ///< "WGP1"
constexpr std::uint32_t kMaxSentPath = 1U << 20U;

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t path_bytes = 0;
  std::uint64_t size = 0;  ///< size of the entry
  std::uint64_t body = 0;  ///< number of bytes after the path
  std::uint8_t is_end = 0, kind = 0, contents = 0, end = 0;
  std::array<std::uint8_t, 4> unused{};
};

void write(std::FILE* out, Header header, std::string_view path, std::string_view body) {
  path = path.substr(0, kMaxSentPath);
  header.path_bytes = static_cast<std::uint32_t>(path.size());
  header.body = body.size();
  std::fwrite(&header, sizeof header, 1, out);
  std::fwrite(path.data(), 1, path.size(), out);
  std::fwrite(body.data(), 1, body.size(), out);
}

/// Reads a file sequentially and checks every length in it.
class Records {
 public:
  explicit Records(int descriptor) : descriptor_(descriptor) {
    struct stat facts {};
    if (::fstat(descriptor, &facts) == 0) size_ = static_cast<std::uint64_t>(facts.st_size);
  }

  bool read(void* into, std::uint64_t size) {
    if (size > size_ - at_) return false;
    for (std::uint64_t got = 0; got < size;) {
      const ssize_t more =
          ::pread(descriptor_, static_cast<char*>(into) + got, size - got, static_cast<off_t>(at_ + got));
      if (more <= 0) return false;
      got += static_cast<std::uint64_t>(more);
    }
    at_ += size;
    return true;
  }

  bool skip(std::uint64_t size) {
    if (size > size_ - at_) return false;
    at_ += size;
    return true;
  }

  std::uint64_t at() const { return at_; }

 private:
  int descriptor_;
  std::uint64_t size_ = 0, at_ = 0;
};

bool is_sound(const Header& header) {
  return header.magic == kMagic && header.path_bytes <= kMaxSentPath &&
         header.kind <= static_cast<std::uint8_t>(EntryKind::special) &&
         header.contents <= static_cast<std::uint8_t>(Contents::damaged) &&
         header.end <= static_cast<std::uint8_t>(ArchiveEnd::contradictory) &&
         (static_cast<Contents>(header.contents) == Contents::present ? header.body == header.size
                                                                      : header.body == 0);
}

}  // namespace

void write_entry(std::FILE* out, const ArchiveEntry& entry) {
  Header header;
  header.size = entry.size;
  header.kind = static_cast<std::uint8_t>(entry.kind);
  header.contents = static_cast<std::uint8_t>(entry.contents);
  write(out, header, entry.path, entry.bytes);
}

bool write_end(std::FILE* out, const ArchiveOutcome& outcome) {
  Header header;
  header.is_end = 1;
  header.contents = static_cast<std::uint8_t>(Contents::not_selected);
  header.end = static_cast<std::uint8_t>(outcome.end);
  write(out, header, outcome.detail, "");
  return std::fflush(out) == 0 && std::ferror(out) == 0;
}

Expected<IndexedEntries, std::string> index_entries(int descriptor) {
  Records records(descriptor);
  IndexedEntries index;
  for (;;) {
    Header header;
    if (!records.read(&header, sizeof header)) return Unexpected{std::string("it is truncated")};
    if (!is_sound(header)) return Unexpected{std::string("a record is invalid")};
    std::string path(header.path_bytes, '\0');
    if (!records.read(path.data(), path.size())) return Unexpected{std::string("it is truncated")};
    if (header.is_end != 0) {
      index.outcome = {static_cast<ArchiveEnd>(header.end), std::move(path)};
      return index;
    }
    index.entries.push_back({std::move(path), static_cast<EntryKind>(header.kind),
                             static_cast<Contents>(header.contents), header.size, records.at()});
    if (!records.skip(header.body)) return Unexpected{std::string("it is truncated")};
  }
}

}  // namespace grader
