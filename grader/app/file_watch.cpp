#include "app/file_watch.hpp"

#include <array>

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/sha256.hpp"

namespace grader::app {

FileWatch::FileWatch(std::filesystem::path file)
    : file_(std::move(file)), stamp_(stamp()), digest_(digest()) {
  inotify_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (inotify_ < 0) return;
  // The folder, because editors write a new file and rename it.
  const std::string folder = file_.parent_path().empty() ? "." : file_.parent_path().string();
  if (::inotify_add_watch(inotify_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB) >= 0) return;
  ::close(inotify_);
  inotify_ = -1;
}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) ::close(inotify_);
}

std::optional<FileWatch::Stamp> FileWatch::stamp() const {
  struct stat facts {};
  if (::stat(file_.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return Stamp{facts.st_mtim.tv_sec * kNanoseconds + facts.st_mtim.tv_nsec, facts.st_ino,
               static_cast<std::uint64_t>(facts.st_size)};
}

/// Empty if the file cannot be read.
std::string FileWatch::digest() const {
  const auto bytes = read_file(file_, kMaxSourceBytes);
  return bytes ? sha256_hex(*bytes) : "";
}

void FileWatch::drain() const {
  std::array<char, 4096> events;
  while (inotify_ >= 0 && ::read(inotify_, events.data(), events.size()) > 0) continue;
}

bool FileWatch::has_changed() {
  drain();
  const auto now = stamp();
  if (!now || now == stamp_) return false;
  std::string bytes = digest();
  if (bytes.empty()) return false;
  stamp_ = now;
  const bool differs = bytes != digest_;
  digest_ = std::move(bytes);
  return differs;
}

}  // namespace grader::app
