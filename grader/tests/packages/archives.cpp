#include "packages/archives.hpp"

#include <clocale>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "packages/boxed_reader.hpp"

namespace testing {
namespace {

la_ssize_t append(struct archive*, void* bytes, const void* more, std::size_t size) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(more), size);
  return static_cast<la_ssize_t>(size);
}

void must(int status, struct archive* handle) {
  if (status != ARCHIVE_OK) throw std::runtime_error(archive_error_string(handle));
}

void choose(struct archive* handle, Format format) {
  if (format == Format::tar_gz) archive_write_add_filter_gzip(handle);
  if (format == Format::tar_xz) archive_write_add_filter_xz(handle);
  if (format == Format::zip || format == Format::encrypted_zip)
    archive_write_set_format_zip(handle);
  else if (format == Format::seven_zip)
    archive_write_set_format_7zip(handle);
  else
    archive_write_set_format_gnutar(handle);
  if (format != Format::encrypted_zip) return;
  must(archive_write_set_options(handle, "zip:encryption=traditional"), handle);
  must(archive_write_set_passphrase(handle, "secret"), handle);
}

void describe(struct archive_entry* entry, const Member& member) {
  archive_entry_set_pathname(entry, member.path.c_str());
  archive_entry_set_perm(entry, 06755);
  const unsigned types[] = {AE_IFREG, AE_IFDIR, AE_IFLNK, AE_IFREG, AE_IFCHR, AE_IFIFO};
  archive_entry_set_filetype(entry, types[static_cast<int>(member.type)]);
  if (member.type == Type::file) archive_entry_set_size(entry, static_cast<la_int64_t>(member.text.size()));
  if (member.type == Type::symbolic_link) archive_entry_set_symlink(entry, member.target.c_str());
  if (member.type == Type::hard_link) archive_entry_set_hardlink(entry, member.target.c_str());
}

}  // namespace

std::string make_archive(Format format, const std::vector<Member>& members) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  std::string bytes;
  const std::unique_ptr<struct archive, int (*)(struct archive*)> handle(archive_write_new(),
                                                                         archive_write_free);
  choose(handle.get(), format);
  archive_write_set_bytes_in_last_block(handle.get(), 1);
  must(archive_write_open(handle.get(), &bytes, nullptr, append, nullptr), handle.get());
  for (const Member& member : members) {
    const std::unique_ptr<struct archive_entry, void (*)(struct archive_entry*)> entry(archive_entry_new(),
                                                                                       archive_entry_free);
    describe(entry.get(), member);
    must(archive_write_header(handle.get(), entry.get()), handle.get());
    if (member.type == Type::file) archive_write_data(handle.get(), member.text.data(), member.text.size());
  }
  must(archive_write_close(handle.get()), handle.get());
  return bytes;
}

std::string tar_header(const std::string& name, std::uint64_t size, char type) {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(148, "        ");
  put(156, std::string(1, type));
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

std::string gzipped(std::string bytes, int times) {
  for (int i = 0; i < times; ++i) {
    std::string packed;
    const std::unique_ptr<struct archive, int (*)(struct archive*)> handle(archive_write_new(),
                                                                           archive_write_free);
    archive_write_add_filter_gzip(handle.get());
    archive_write_set_format_raw(handle.get());
    archive_write_set_bytes_in_last_block(handle.get(), 1);
    must(archive_write_open(handle.get(), &packed, nullptr, append, nullptr), handle.get());
    struct archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    must(archive_write_header(handle.get(), entry), handle.get());
    archive_entry_free(entry);
    archive_write_data(handle.get(), bytes.data(), bytes.size());
    must(archive_write_close(handle.get()), handle.get());
    bytes = std::move(packed);
  }
  return bytes;
}

std::string with_replaced(std::string bytes, const std::string& from, const std::string& to, int nth) {
  std::size_t at = bytes.find(from);
  for (int i = 0; i < nth; ++i) at = bytes.find(from, at + 1);
  return bytes.replace(at, from.size(), to);
}

const grader::ArchiveEntry* ReadBack::find(const std::string& path) const {
  for (const grader::ArchiveEntry& entry : entries)
    if (entry.path == path) return &entry;
  return nullptr;
}

ReadBack read_back(const std::string& archive, const grader::ArchiveLimits& limits) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  const grader::Descriptor file = grader::file_in_memory(archive);
  ReadBack result;
  result.outcome =
      grader::read_archive(file.get(), {{".cu", 1U << 20U}}, limits,
                           [&](grader::ArchiveEntry entry) { result.entries.push_back(std::move(entry)); });
  return result;
}

}  // namespace testing
