#include "packing/archive_writer.hpp"

#include <memory>

#include <archive.h>
#include <archive_entry.h>

namespace grader {
namespace {

constexpr la_int64_t kTime = 946684800;  // 2000-01-01, which every format can represent

struct CloseArchive {
  void operator()(struct archive* one) const { archive_write_free(one); }
};
using ArchiveHandle = std::unique_ptr<struct archive, CloseArchive>;

struct FreeEntry {
  void operator()(struct archive_entry* one) const { archive_entry_free(one); }
};

la_ssize_t append(struct archive* /*handle*/, void* text, const void* bytes, std::size_t size) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

ArchiveHandle open_archive(ArchiveFormat format, std::string& bytes) {
  ArchiveHandle handle(archive_write_new());
  if (format == ArchiveFormat::zip) {
    archive_write_set_format_zip(handle.get());
  } else {
    archive_write_set_format_ustar(handle.get());
    if (format == ArchiveFormat::tar_gz) {
      archive_write_add_filter_gzip(handle.get());
      // Otherwise the header contains the time at which the archive was written.
      archive_write_set_filter_option(handle.get(), "gzip", "timestamp", nullptr);
    } else {
      archive_write_add_filter_xz(handle.get());
    }
  }
  archive_write_set_bytes_in_last_block(handle.get(), 1);  // a file needs no padding for tapes
  archive_write_open(handle.get(), &bytes, nullptr, append, nullptr);
  return handle;
}

bool add(struct archive* handle, const std::string& path, const PackedFile& file) {
  constexpr unsigned kRead = 0644, kRun = 0755, kAll = 0777;
  const std::unique_ptr<struct archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_mtime(entry.get(), kTime, 0);
  archive_entry_set_uid(entry.get(), 0);
  archive_entry_set_gid(entry.get(), 0);
  if (file.kind == PackedFile::Kind::link) {
    archive_entry_set_filetype(entry.get(), AE_IFLNK);
    archive_entry_set_symlink(entry.get(), file.bytes.c_str());
    archive_entry_set_perm(entry.get(), kAll);
    return archive_write_header(handle, entry.get()) == ARCHIVE_OK;
  }
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), file.kind == PackedFile::Kind::program ? kRun : kRead);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
  if (archive_write_header(handle, entry.get()) != ARCHIVE_OK) return false;
  return archive_write_data(handle, file.bytes.data(), file.bytes.size()) ==
         static_cast<la_ssize_t>(file.bytes.size());
}

Unexpected<std::string> failed(struct archive* handle) {
  const char* words = archive_error_string(handle);
  return Unexpected{std::string(words != nullptr ? words : "no reason given")};
}

}  // namespace

std::optional<ArchiveFormat> archive_format(const std::string& name) {
  if (name.ends_with(".zip")) return ArchiveFormat::zip;
  if (name.ends_with(".tar.gz") || name.ends_with(".tgz")) return ArchiveFormat::tar_gz;
  if (name.ends_with(".tar.xz") || name.ends_with(".txz")) return ArchiveFormat::tar_xz;
  return std::nullopt;
}

Expected<std::string, std::string> write_archive(const PackedFiles& files, ArchiveFormat format) {
  std::string bytes;
  const ArchiveHandle handle = open_archive(format, bytes);
  for (const auto& [path, file] : files)
    if (!add(handle.get(), path, file)) return failed(handle.get());
  if (archive_write_close(handle.get()) != ARCHIVE_OK) return failed(handle.get());
  return bytes;
}

}  // namespace grader
