#include "runner/device_lock.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grader {
namespace {

namespace fs = std::filesystem;

/// Opens another user's lock file for reading, which suffices for flock(); the kernel refuses O_CREAT on it
/// in a sticky folder (proc(5), protected_regular).
Descriptor open_lock(const fs::path& file) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor descriptor(::open(file.c_str(), kFlags));
  if (descriptor || errno != ENOENT) return descriptor;
  descriptor.reset(::open(file.c_str(), kFlags | O_CREAT | O_EXCL, 0644));
  if (!descriptor && errno == EEXIST) descriptor.reset(::open(file.c_str(), kFlags));
  return descriptor;
}

bool lock(const Descriptor& descriptor, int operation) {
  while (::flock(descriptor.get(), operation) != 0)
    if (errno != EINTR) return false;
  return true;
}

std::string file_name(std::string device) {
  std::replace_if(
      device.begin(), device.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-'; }, '_');
  return "warpgrade-" + device;
}

}  // namespace

DeviceLock::DeviceLock(const std::string& device, const fs::path& folder)
    : gate_(folder / (file_name(device) + ".gate")), lock_(folder / (file_name(device) + ".lock")) {}

Expected<DeviceLock::Turn, std::string> DeviceLock::shared() const { return take(LOCK_SH); }
Expected<DeviceLock::Turn, std::string> DeviceLock::exclusive() const { return take(LOCK_EX); }

/// A caller holds the gate's lock while it waits for the device's lock, so later callers cannot overtake it.
/// Each turn opens the files anew: flock() locks belong to an open file description, so the locks also
/// exclude threads of one process from each other.
Expected<DeviceLock::Turn, std::string> DeviceLock::take(int operation) const {
  const Descriptor gate = open_lock(gate_);
  if (!gate || !lock(gate, LOCK_EX)) return Unexpected{std::string(std::strerror(errno))};
  Descriptor turn = open_lock(lock_);
  if (!turn || !lock(turn, operation)) return Unexpected{std::string(std::strerror(errno))};
  return Turn(std::move(turn));
}

fs::path DeviceLock::default_folder() {
  struct stat facts {};
  const bool common =
      ::stat("/run/lock", &facts) == 0 && S_ISDIR(facts.st_mode) && (facts.st_mode & S_IWOTH) != 0;
  return common ? "/run/lock" : "/tmp";
}

}  // namespace grader
