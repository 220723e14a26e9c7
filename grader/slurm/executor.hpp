// Grades items on a cluster: submits arrays for what is missing, watches, submits again what got lost, and
// ends when every item has its result. What counts is the result files alone; the scheduler is asked only for
// what is still under way. So tasks may be started twice, vanish, or outlive the controller's memory of them.
// Knows no files and no clocks: tests play through any course of events. Covered by slurm/executor_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "slurm/array_folders.hpp"
#include "slurm/scheduler.hpp"

namespace grader::slurm {

struct Work {
  Items items;  ///< what is missing, in the order in which it is to be graded
  /// Whether the item's result is there; asked at every look until it is.
  std::function<bool(std::size_t item)> finished;
  /// Gives the item a result that says why it has none. Returns why that failed.
  std::function<std::optional<Diagnostic>(std::size_t item, Diagnostic why)> give_up;
};

struct ExecutorOptions {
  std::size_t items_per_task = 0;     ///< at the first attempt; 0: chosen
  std::size_t tasks_per_array = 500;  ///< at most; the site may allow fewer
  /// At one item; those that ended for a node's fault do not count.
  unsigned attempts = 4;
  /// So many looks in a row find an item neither finished nor under way before it counts as lost: on a
  /// network file system another machine's files appear a little late.
  unsigned looks_until_lost = 4;
  /// So many looks in a row may stay without an answer of the scheduler.
  unsigned silent_looks = 360;
  /// The same as long as it has never answered: then it is more likely that there is none.
  unsigned first_silent_looks = 6;
  /// So many looks in a row find tasks waiting and none running before nodes out of service are told.
  unsigned standing_looks = 6;
  bool detach = false;                      ///< when stopped, leave the jobs to themselves
  const std::atomic<bool>* stop = nullptr;  ///< never when nullptr
  std::function<void()> wait;               ///< until the next look; returns early when stopped
  /// How things are, after each look: items without a result, and the queue in words.
  std::function<void(std::size_t missing, const std::string& queue)> status;
  std::function<void(const std::string&)> note;  ///< what the user should know, once
  std::function<void(const Diagnostic&)> warn;   ///< what the user has to clear up
};

/// Returns why not every item has a result; nothing when it was stopped.
std::optional<Diagnostic> execute(const Work& work, ArrayFolders& arrays, Scheduler& scheduler,
                                  const ExecutorOptions& options);

}  // namespace grader::slurm
