#include "base/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"

namespace grader {
namespace {

std::string reason() { return std::strerror(errno); }

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Expected<std::string, std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  // O_NONBLOCK keeps a fifo from blocking open(); it has no effect on regular files.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file) return Unexpected{errno == ELOOP ? std::string("is a symbolic link") : reason()};

  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return Unexpected{reason()};
  if (S_ISDIR(facts.st_mode)) return Unexpected{std::string("is a folder, not a file")};
  if (!S_ISREG(facts.st_mode)) return Unexpected{std::string("is not a regular file")};
  if (static_cast<std::size_t>(facts.st_size) > max_bytes)
    return Unexpected{fmt::format("has {} bytes; at most {} are read", facts.st_size, max_bytes)};

  // The file may change while it is read: the cap holds for what is read, not for what fstat said.
  std::string bytes;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unexpected{reason()};
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > max_bytes) return Unexpected{fmt::format("has more than {} bytes", max_bytes)};
  }
}

Expected<std::filesystem::path, std::string> write_new_file(const std::filesystem::path& prefix,
                                                            std::string_view bytes) {
  std::string name = prefix.string() + "XXXXXX";
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return Unexpected{reason()};
  if (write_all(file.get(), bytes) && ::fchmod(file.get(), 0644) == 0 && ::fsync(file.get()) == 0)
    return std::filesystem::path(name);
  std::string why = reason();
  ::unlink(name.c_str());
  return Unexpected{std::move(why)};
}

Expected<bool, std::string> write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const auto temporary = write_new_file(path.string() + ".", bytes);
  if (!temporary) return Unexpected{temporary.error()};
  if (::rename(temporary->c_str(), path.c_str()) == 0) return true;
  std::string why = reason();
  ::unlink(temporary->c_str());
  return Unexpected{std::move(why)};
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  std::string name = (std::filesystem::temp_directory_path() / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot make a temporary folder in " + name);
  path_ = name;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace grader
