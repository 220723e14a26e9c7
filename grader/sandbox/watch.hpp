// Watches a running box: collects its output, ends it when a limit is reached, and waits until its last
// process has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "base/descriptor.hpp"
#include "sandbox/box_init.hpp"

namespace grader {

struct WatchedBox {
  pid_t pid = -1;              ///< the grader's child: bubblewrap, or box-init without isolation
  Descriptor output;           ///< reading end; stdout and stderr
  Descriptor reports;          ///< reading end; BoxReports
  Descriptor info;             ///< a file with bubblewrap's JSON with the box's pid; isolated boxes only
  bool process_group = false;  ///< true: kill the child's process group, not the box's first process
};

struct WatchLimits {
  std::chrono::milliseconds wall;
  std::size_t output_bytes;
  const std::atomic<bool>* stop;
  std::function<std::chrono::nanoseconds()> excused_time;  ///< see BoxJob
  std::chrono::milliseconds longest;                       ///< with excused time
};

struct Watched {
  enum class Killed { no, wall_limit, output_limit, stopped };
  Killed killed = Killed::no;
  bool gone = true;  ///< false: the box still ran kReapingTime after SIGKILL
  int status = 0;    ///< wait status of the grader's child
  rusage usage{};    ///< of the whole process tree
  std::string output;
  std::vector<BoxReport> reports;
  std::chrono::duration<double> wall{0};
};

/// A process that hangs in a driver might not end immediately after SIGKILL; the wait for it ends after this
/// time.
inline constexpr std::chrono::seconds kReapingTime{10};

Watched watch(WatchedBox box, const WatchLimits& limits);

}  // namespace grader
