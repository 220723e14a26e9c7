// What the executor needs from a cluster's scheduler. The real one is Slurm (slurm_scheduler.hpp); tests have
// one that loses tasks on purpose.
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
  std::size_t array = 0;         ///< our number of it (array_folders.hpp)
  std::filesystem::path folder;  ///< its tasks' lists and logs
  std::size_t tasks = 1;
  std::set<std::string> excluded_nodes;
};

class Scheduler {
 public:
  struct Failure {
    Trouble kind = Trouble::refused;
    std::string complaint;  ///< the scheduler's own sentence
  };
  template <class T>
  using Answer = Expected<T, Failure>;
  struct Done {};

  virtual ~Scheduler() = default;

  /// The most tasks that an array may have, at least 1.
  virtual Answer<std::size_t> largest_array() = 0;
  /// After `unreachable` the array may exist all the same.
  virtual Answer<Done> submit(const ArrayRequest& request) = 0;
  /// All tasks of this run that the scheduler remembers, whoever submitted them.
  virtual Answer<std::vector<TaskReport>> tasks() = 0;
  /// What keeps this run's tasks from nodes; empty also where that cannot be learnt.
  virtual std::vector<OutOfService> out_of_service() = 0;
  virtual Answer<Done> cancel(const std::set<std::string>& jobs) = 0;
};

}  // namespace grader::slurm
