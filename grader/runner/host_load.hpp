// Keeps this process's own work away from measurements that depend on the host: a function of the host that
// copies arrays to a real GPU takes twice as long while compilers and the virtual GPU use all cores.
// Thread-safe. Covered by runner/host_load_test.cpp.
#pragma once

namespace grader {

/// Work that uses the host's cores, for the lifetime of this object: a compilation, a run on the virtual GPU,
/// an oracle. Waits while a thread has or wants a QuietHost. A thread that has one of the two objects must
/// not ask for another.
class [[nodiscard]] HostLoad {
 public:
  HostLoad();
  ~HostLoad();
  HostLoad(const HostLoad&) = delete;
  HostLoad& operator=(const HostLoad&) = delete;
};

/// Waits until no work is left, and keeps new work away for the lifetime of this object. One thread at a time
/// has it.
class [[nodiscard]] QuietHost {
 public:
  QuietHost();
  ~QuietHost();
  QuietHost(const QuietHost&) = delete;
  QuietHost& operator=(const QuietHost&) = delete;
};

/// What a measurement needs.
enum class Host { as_it_is, quiet };

}  // namespace grader
