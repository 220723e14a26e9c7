// Grades items on a cluster: submits arrays for missing results, polls, resubmits lost items, and ends when
// every item has its result. Only the result files count; the scheduler is asked only which tasks are still
// queued or running. So a task can be started twice, can vanish, or can run longer than the controller
// remembers it. Uses no files and no clocks, so that tests can simulate any course of events. Covered by
// slurm/executor_test.cpp.
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
  Items items;  ///< missing items, in the order of grading
  /// True if the item's result exists. Called at every poll until it is true.
  std::function<bool(std::size_t item)> finished;
  /// Publishes a result without a grade for the item, with the reason. Returns an error if that fails.
  std::function<std::optional<Diagnostic>(std::size_t item, Diagnostic why)> give_up;
};

struct ExecutorOptions {
  std::size_t items_per_task = 0;     ///< at the first attempt; 0: automatic
  std::size_t tasks_per_array = 500;  ///< maximum; the site can have a lower limit
  /// Maximum per item; attempts that ended because of a node's fault do not count.
  unsigned attempts = 4;
  /// Number of consecutive polls that find an item neither finished nor in the queue before it counts as
  /// lost: on a network file system, files of another machine appear with a delay.
  unsigned polls_until_lost = 4;
  /// Maximum number of consecutive polls without an answer from the scheduler.
  unsigned silent_polls = 360;
  /// The same limit while the scheduler has not yet answered at all; then it probably does not exist.
  unsigned first_silent_polls = 6;
  /// Number of consecutive polls with waiting tasks and no running task, after which nodes out of service are
  /// reported.
  unsigned stalled_polls = 6;
  bool detach = false;                      ///< after a stop, leave the jobs running
  const std::atomic<bool>* stop = nullptr;  ///< nullptr: never stop
  std::function<void()> wait;               ///< waits until the next poll; returns early after a stop
  /// Called after each poll with the number of items without a result and a description of the queue.
  std::function<void(std::size_t missing, const std::string& queue)> status;
  std::function<void(const std::string&)> note;  ///< messages for the user, each once
  std::function<void(const Diagnostic&)> warn;   ///< problems that the user must fix
};

/// Returns an error if not every item can get a result; nullopt after success or a stop.
std::optional<Diagnostic> execute(const Work& work, ArrayFolders& arrays, Scheduler& scheduler,
                                  const ExecutorOptions& options);

}  // namespace grader::slurm
