// Runs one command in a box: bubblewrap namespaces (no network, read-only system, private /tmp, unprivileged
// user), a cleared environment, no descriptors but those granted, and limits on wall-clock time, CPU time,
// memory, processes, file size and output. When the box ends for whatever reason, its whole process tree is
// gone. Thread safety: run() may be called from several threads at once.
//
// Covered by tests/sandbox/. How a box is made: bubblewrap_command.cpp (what it sees), launch.cpp (how it
// starts), box_init.cpp (its first process), watch.cpp (how it ends), memory_cgroup.cpp (its memory).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
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
  std::chrono::seconds cpu{10};  ///< of any one process
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  /// Where no memory cgroup can be made, the limit holds for the address space of each process. CUDA
  /// processes reserve far more addresses than they use memory: for them this is false, and only a cgroup
  /// limits them.
  bool address_space_counts = true;
  std::uint32_t processes = 64;                             ///< threads count, too; isolated boxes only
  std::uint64_t file_bytes = std::uint64_t{256} << 20U;     ///< largest file
  std::uint64_t scratch_bytes = std::uint64_t{512} << 20U;  ///< size of /tmp
  std::uint64_t output_bytes = std::uint64_t{1} << 20U;     ///< stdout and stderr together; more ends the box
};

struct BoxMount {
  /// A read_write folder becomes the property of the box's user when the grader runs as root.
  enum class Access { read_only, read_write, device };
  std::filesystem::path outside, inside;
  Access access = Access::read_only;
};

struct BoxJob {
  std::vector<std::string> command{};
  std::vector<BoxMount> mounts{};  ///< beyond the system folders; without isolation there are none
  std::vector<std::pair<std::string, std::string>> environment{};
  std::vector<std::pair<int, int>> descriptors{};  ///< {ours, inside}, 3 ≤ inside < 100; stays open outside
  std::string working_folder = "/tmp";
  BoxLimits limits{};
  SystemCalls system_calls = SystemCalls::ordinary;  ///< isolated boxes only
  const std::atomic<bool>* stop = nullptr;  ///< set: kill the box now (Ctrl-C); looked at every 50 ms
};

struct BoxResult {
  /// When several hold: stopped; else memory_limit; else output_limit or wall_limit, whichever came first;
  /// else cpu_limit; else exited or signalled.
  ///
  /// memory_limit: the kernel killed a process of the box's cgroup for want of memory, even if the command
  /// lived on. Without a cgroup: the command failed and its largest process had used 90 % of the limit.
  /// cpu_limit: the command died of SIGXCPU or SIGKILL and the box had used its CPU time.
  enum class End { exited, signalled, wall_limit, cpu_limit, memory_limit, output_limit, stopped };
  End end = End::exited;
  int code = 0;        ///< exit status or signal number
  std::string output;  ///< stdout and stderr as they came, at most limits.output_bytes
  std::chrono::duration<double> wall{0}, cpu{0};
};

/// How boxes are made here, for `doctor` and for the record.
struct BoxKind {
  std::string name;  ///< "bubblewrap 0.8.0, seccomp, memory cgroup", "none: …"
  bool isolated = false;
};

class Sandbox {
 public:
  /// Finds out once what this machine allows. The diagnostic says what is missing and what to do:
  /// WG-S01 bubblewrap is missing or too old, WG-S02 user namespaces are not permitted, WG-S03 other (system
  /// calls cannot be filtered, …).
  static Expected<Sandbox, Diagnostic> open();
  /// No isolation: own code on one's own machine (`check` without bubblewrap). Limits on time, memory, files
  /// and output still hold; the process group is killed at the end.
  static Sandbox without_isolation();

  const BoxKind& kind() const { return kind_; }

  /// The error is always the machine's or the grader's own fault, never the command's: WG-S03 the box could
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
