// The interface of the executor to a cluster's scheduler. The real scheduler is Slurm (slurm_scheduler.hpp);
// tests use a simulated one that loses tasks on purpose.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "slurm/answers.hpp"

namespace grader::slurm {

struct ArrayRequest {
  std::size_t array = 0;         ///< this run's number of the array (array_folders.hpp)
  std::filesystem::path folder;  ///< the tasks' lists and logs
  std::size_t tasks = 1;
  std::set<std::string> excluded_nodes;
};

class Scheduler {
 public:
  struct Failure {
    Trouble kind = Trouble::refused;
    std::string complaint;  ///< the scheduler's own message
  };
  template <class T>
  using Answer = Expected<T, Failure>;
  struct Done {};

  virtual ~Scheduler() = default;

  /// The maximum number of tasks in an array, at least 1.
  virtual Answer<std::size_t> largest_array() = 0;
  /// After a failure with `unreachable`, the array can still exist.
  virtual Answer<Done> submit(const ArrayRequest& request) = 0;
  /// All tasks of this run that the scheduler remembers, including those submitted by an earlier process.
  virtual Answer<std::vector<TaskReport>> tasks() = 0;
  /// The nodes that cannot run this run's tasks; empty also if that cannot be found out.
  virtual std::vector<OutOfService> out_of_service() = 0;
  virtual Answer<Done> cancel(const std::set<std::string>& jobs) = 0;
};

}  // namespace grader::slurm
