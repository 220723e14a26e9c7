#include "packages/zip_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace grader {
namespace {

constexpr std::uint64_t kMaxDirectory = std::uint64_t{64} << 20U;

std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Returns no bytes if the file is too short.
std::string read_at(int descriptor, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more =
        ::pread(descriptor, bytes.data() + got, size - got, static_cast<off_t>(offset + got));
    if (more <= 0) return {};
    got += static_cast<std::size_t>(more);
  }
  return bytes;
}

/// The "end of central directory record" has 22 bytes and a comment of at most 65,535 bytes.
constexpr std::size_t kEndRecord = 22, kMaxComment = 65'535;
constexpr std::string_view kEndSignature = "PK\5\6", kEntrySignature = "PK\1\2";

struct Directory {
  std::uint64_t offset = 0, size = 0;
};

std::optional<Directory> find_directory(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const std::uint64_t tail_size = std::min<std::uint64_t>(size, kEndRecord + kMaxComment);
  const std::string tail = read_at(descriptor, size - tail_size, tail_size);
  const std::size_t at = tail.rfind(kEndSignature);
  if (at == std::string::npos || tail.size() - at < kEndRecord) return std::nullopt;
  const Directory found{number(tail, at + 16, 4), number(tail, at + 12, 4)};
  const bool inside =
      found.offset <= size && found.size <= size - found.offset && found.size <= kMaxDirectory;
  return inside ? std::optional(found) : std::nullopt;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Makes names from the two directories comparable: libarchive replaces Windows' separators and appends '/'
/// to folders. It can merge macOS side files into other entries.
void make_comparable(std::vector<std::string>& names) {
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), '\\', '/');
    while (name.ends_with('/')) name.pop_back();
  }
  std::erase_if(names,
                [](const std::string& name) { return !is_ascii(name) || name.starts_with("__MACOSX"); });
  std::sort(names.begin(), names.end());
}

}  // namespace

std::optional<std::vector<std::string>> zip_directory_names(int descriptor) {
  constexpr std::size_t kEntry = 46;  // before name, extra field and comment
  const auto directory = find_directory(descriptor);
  if (!directory) return std::nullopt;
  const std::string bytes = read_at(descriptor, directory->offset, directory->size);
  if (bytes.size() != directory->size) return std::nullopt;
  std::vector<std::string> names;
  for (std::size_t at = 0; bytes.size() - at >= kEntry;) {
    if (bytes.compare(at, kEntrySignature.size(), kEntrySignature) != 0) break;
    const std::size_t name = number(bytes, at + 28, 2);
    const std::size_t next = kEntry + name + number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
    if (next > bytes.size() - at) return std::nullopt;
    names.push_back(bytes.substr(at + kEntry, name));
    at += next;
  }
  return names;
}

bool name_the_same_files(std::vector<std::string> directory, std::vector<std::string> entries) {
  make_comparable(directory);
  make_comparable(entries);
  return directory == entries;
}

}  // namespace grader
