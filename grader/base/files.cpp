#include "base/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

Expected<Descriptor, std::string> open_regular_file(const std::filesystem::path& path,
                                                    std::size_t max_bytes) {
  // O_NONBLOCK keeps a fifo from blocking open(); it has no effect on regular files.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file) return Unexpected{errno == ELOOP ? std::string("is a symbolic link") : reason()};

  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return Unexpected{reason()};
  if (S_ISDIR(facts.st_mode)) return Unexpected{std::string("is a folder, not a file")};
  if (!S_ISREG(facts.st_mode)) return Unexpected{std::string("is not a regular file")};
  if (static_cast<std::size_t>(facts.st_size) > max_bytes)
    return Unexpected{fmt::format("has {} bytes; at most {} are read", facts.st_size, max_bytes)};
  return file;
}

Expected<std::string, std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const auto file = open_regular_file(path, max_bytes);
  if (!file) return Unexpected{file.error()};
  // The file can change while it is read: the cap applies to the bytes read, not to the size from fstat.
  std::string bytes;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(file->get(), buffer, sizeof buffer);
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

namespace {

/// Locks a temporary folder until the descriptor is closed, or its process ends. Returns no descriptor if
/// another process holds the lock, the folder was deleted meanwhile, or it belongs to another user.
Descriptor lock_folder(const std::filesystem::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  const bool mine = descriptor && ::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0 &&
                    ::fstat(descriptor.get(), &facts) == 0 && facts.st_nlink > 0 &&
                    facts.st_uid == ::geteuid();
  return mine ? std::move(descriptor) : Descriptor();
}

void remove_abandoned(const std::filesystem::path& parent, const std::string& prefix) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    if (const Descriptor lock = lock_folder(entry->path())) {
      std::error_code ignored;
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

bool is_first_of(const std::filesystem::path& prefix) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(prefix).second;
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  const std::string start = std::string(prefix) + "-";
  const std::filesystem::path parent = std::filesystem::temp_directory_path();
  if (is_first_of(parent / start)) remove_abandoned(parent, start);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = (parent / (start + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot create a temporary folder at " + name);
    path_ = name;
    lock_ = lock_folder(path_);
    // Between the two calls another process can have deleted the folder as abandoned.
    if (std::error_code error; std::filesystem::exists(path_, error)) return;
  }
  throw std::runtime_error("another process keeps deleting new temporary folders in " + parent.string());
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::move(other.lock_)) {
  other.path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace grader
