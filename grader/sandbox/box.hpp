// Runs one command in a box: bubblewrap namespaces (no network, read-only system, private /tmp, unprivileged
// user), a cleared environment, only the granted descriptors, and limits on wall-clock time, CPU time,
// memory, processes, file size and output. When the box ends, for whatever reason, its whole process tree has
// ended. Thread safety: run() may be called from several threads at the same time.
//
// Covered by tests/sandbox/. The parts: bubblewrap_command.cpp (what a box can access), launch.cpp (its
// start), box_init.cpp (its first process), watch.cpp (its end), memory_cgroup.cpp (its memory).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "sandbox/memory_cgroup.hpp"
#include "sandbox/system_calls.hpp"

namespace grader {

struct BoxLimits {
  std::chrono::milliseconds wall{10'000};
  std::chrono::seconds cpu{10};  ///< per process
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  /// If no memory cgroup can be created, the memory limit applies to the address space of each process. CUDA
  /// processes reserve far more address space than they use memory: for them this is false, and only a cgroup
  /// limits their memory.
  bool address_space_counts = true;
  std::uint32_t processes = 64;                          ///< threads count as processes; isolated boxes only
  std::uint64_t file_bytes = std::uint64_t{256} << 20U;  ///< largest file
  std::uint64_t scratch_bytes = std::uint64_t{512} << 20U;  ///< size of /tmp
  std::uint64_t output_bytes = std::uint64_t{1} << 20U;     ///< stdout and stderr together; more ends the box
};

struct BoxMount {
  /// A read_write folder becomes the property of the box's user when the grader runs as root.
  enum class Access { read_only, read_write, device };
  std::filesystem::path outside, inside;
  Access access = Access::read_only;
};

/// A box never runs longer than this number times its limit of wall-clock time.
inline constexpr int kMostPatience = 6;

struct BoxJob {
  std::vector<std::string> command{};
  std::vector<BoxMount> mounts{};  ///< in addition to the system folders; unused without isolation
  std::vector<std::pair<std::string, std::string>> environment{};
  std::vector<std::pair<int, int>> descriptors{};  ///< {ours, inside}, 3 ≤ inside < 100; ours stays open
  std::string working_folder = "/tmp";
  BoxLimits limits{};
  SystemCalls system_calls = SystemCalls::ordinary;  ///< isolated boxes only
  const std::atomic<bool>* stop = nullptr;           ///< true: kill the box (Ctrl-C); checked every 50 ms
  /// Wall-clock time so far in which the command has waited for work of the grader's own. It does not count,
  /// up to kMostPatience times the limit in all. Thread-safe; empty: none.
  std::function<std::chrono::nanoseconds()> excused_time{};
};

struct BoxResult {
  /// If several ends apply, the first in this order is chosen: stopped; memory_limit; output_limit or
  /// wall_limit, whichever was reached first; cpu_limit; exited or signalled.
  ///
  /// memory_limit: the kernel killed a process of the box's cgroup because memory was exhausted, even if the
  /// command continued. Without a cgroup: the command failed and its largest process had used 90 % of the
  /// limit. cpu_limit: the command died of SIGXCPU or SIGKILL and the box had used its CPU time.
  enum class End { exited, signalled, wall_limit, cpu_limit, memory_limit, output_limit, stopped };
  End end = End::exited;
  int code = 0;        ///< exit status or signal number
  std::string output;  ///< stdout and stderr as they arrived, at most limits.output_bytes
  std::chrono::duration<double> wall{0}, cpu{0};
};

/// How boxes work on this machine, for `doctor` and the grader's records.
struct BoxKind {
  std::string name;  ///< "bubblewrap 0.8.0, seccomp, memory cgroup", "none: …"
  bool isolated = false;
};

class Sandbox {
 public:
  /// Determines once what this machine permits. The diagnostic describes what is missing and what to do:
  /// WG-S01 bubblewrap is missing or too old, WG-S02 user namespaces are not permitted, WG-S03 other reasons
  /// (system calls cannot be filtered, …).
  static Expected<Sandbox, Diagnostic> open();
  /// No isolation, for users who run their own code on their own machine (`check` without bubblewrap). Limits
  /// on time, memory, files and output still apply; the process group is killed at the end.
  static Sandbox without_isolation();

  const BoxKind& kind() const { return kind_; }

  /// An error is always the fault of the machine or the grader, never of the command: WG-S03 the box could
  /// not be started, WG-S04 it could not be killed (a process hangs in a driver).
  Expected<BoxResult, Diagnostic> run(const BoxJob& job) const;

 private:
  Sandbox() = default;

  BoxKind kind_;
  std::filesystem::path bubblewrap_, init_;
  std::optional<CgroupFolder> cgroups_;
  std::map<SystemCalls, std::string> filters_;
};

}  // namespace grader
