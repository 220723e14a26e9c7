#include "sandbox/memory_cgroup.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grader {
namespace {

namespace fs = std::filesystem;

bool write_value(const fs::path& file, std::string_view value) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return descriptor &&
         ::write(descriptor.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

/// The number after `key` in a file of "key value" lines; 0 if there is none.
std::uint64_t read_counter(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value)
    if (name == key) return value;
  return 0;
}

bool has_word(const std::string& text, std::string_view word, char separator) {
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, separator);)
    if (one == word) return true;
  return false;
}

/// A mounted hierarchy with the memory controller: its mount point, and which of its folders is mounted
/// there.
struct Hierarchy {
  fs::path mount_point;
  std::string root;
  int version = 2;
};

/// Reads /proc/self/mountinfo, lines "36 35 98:0 /root /mount-point options … - type source super-options".
std::optional<Hierarchy> find_hierarchy() {
  std::ifstream in("/proc/self/mountinfo");
  std::optional<Hierarchy> unified;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string skip, root, mount_point, type, source, options;
    words >> skip >> skip >> skip >> root >> mount_point;
    while (words >> skip && skip != "-") {
    }
    words >> type >> source >> options;
    if (type == "cgroup" && has_word(options, "memory", ',')) return Hierarchy{mount_point, root, 1};
    if (type == "cgroup2") unified = Hierarchy{mount_point, root, 2};
  }
  return unified;
}

/// The caller's group in that hierarchy, from lines "4:memory:/path" (v1) and "0::/path" (v2).
std::string own_group(int version) {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : has_word(controllers, "memory", ','))
      return line.substr(second + 1);
  }
  return "/";
}

/// v2 enables controllers for child groups only if listed in cgroup.subtree_control; v1 always does.
bool hands_down_memory(const fs::path& folder, int version) {
  if (version == 1) return true;
  std::ifstream in(folder / "cgroup.subtree_control");
  std::string controllers;
  std::getline(in, controllers);
  return has_word(controllers, "memory", ' ');
}

bool set_limit(const fs::path& group, int version, std::uint64_t bytes) {
  const std::string value = std::to_string(bytes);
  if (version == 2) {
    write_value(group / "memory.swap.max", "0");  // absent without swap accounting
    return write_value(group / "memory.max", value);
  }
  const bool limited = write_value(group / "memory.limit_in_bytes", value);
  write_value(group / "memory.memsw.limit_in_bytes",
              value);  // memory and swap; absent without swap accounting
  return limited;
}

constexpr std::string_view kPrefix = "warpgrade-";  ///< prefix of a group's name; the creator's pid follows

/// Removes the empty groups that killed graders left.
void remove_groups_of_the_dead(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const int maker = name.starts_with(kPrefix) ? std::atoi(name.c_str() + kPrefix.size()) : 0;
    if (maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

}  // namespace

std::optional<CgroupFolder> find_memory_cgroups() {
  const std::optional<Hierarchy> hierarchy = find_hierarchy();
  if (!hierarchy) return std::nullopt;
  fs::path below = own_group(hierarchy->version);
  if (below.string().starts_with(hierarchy->root))
    below = fs::path("/") / below.lexically_relative(hierarchy->root);
  // The own group first, then its ancestors: the nearest in which a limited group can be created.
  for (;; below = below.parent_path()) {
    const CgroupFolder folder{(hierarchy->mount_point / below.relative_path()).lexically_normal(),
                              hierarchy->version};
    constexpr std::uint64_t kAnyLimit = std::uint64_t{64} << 20U;
    if (hands_down_memory(folder.path, folder.version) && MemoryCgroup::make(folder, kAnyLimit)) {
      remove_groups_of_the_dead(folder.path);
      return folder;
    }
    if (below == below.parent_path()) return std::nullopt;
  }
}

std::optional<MemoryCgroup> MemoryCgroup::make(const CgroupFolder& parent, std::uint64_t limit_bytes) {
  static std::atomic<unsigned> serial{0};
  const fs::path path = parent.path / fmt::format("{}{}-{}", kPrefix, ::getpid(), serial++);
  if (::mkdir(path.c_str(), 0755) != 0) return std::nullopt;
  MemoryCgroup group(path, parent.version);  // from here on, the destructor removes the group
  group.procs_.reset(::open((path / "cgroup.procs").c_str(), O_RDWR | O_CLOEXEC));
  if (!group.procs_ || !set_limit(path, parent.version, limit_bytes)) return std::nullopt;
  return group;
}

MemoryCgroup::MemoryCgroup(MemoryCgroup&& other) noexcept
    : path_(std::move(other.path_)), version_(other.version_), procs_(std::move(other.procs_)) {
  other.path_.clear();
}

MemoryCgroup::~MemoryCgroup() {
  using namespace std::chrono_literals;
  if (path_.empty()) return;
  procs_.reset();
  // A group with processes cannot be removed, and a killed process takes time to leave the group.
  for (int attempt = 0; attempt < 1000 && ::rmdir(path_.c_str()) != 0 && errno == EBUSY; ++attempt) {
    std::ifstream members(path_ / "cgroup.procs");
    for (pid_t pid = 0; members >> pid;) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(1ms);
  }
}

bool MemoryCgroup::killed_for_memory() const {
  return read_counter(path_ / (version_ == 2 ? "memory.events" : "memory.oom_control"), "oom_kill") > 0;
}

}  // namespace grader
