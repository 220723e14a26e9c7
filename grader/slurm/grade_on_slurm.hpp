// Grades a run's items on a Slurm cluster: the executor of schedule/class_run.hpp for many machines. DIR must
// lie in a folder that all nodes share, and so must the kit; nothing else is needed of the site. Covered by
// slurm/cluster_test.cpp.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "schedule/class_run.hpp"
#include "slurm/options.hpp"

namespace grader::slurm {

struct ClusterOptions {
  SiteOptions site;
  std::filesystem::path program;           ///< warpgrade, absolute, where the nodes have it, too
  unsigned attempts = 4;                   ///< at one item
  std::size_t items_per_task = 0;          ///< 0: chosen
  std::chrono::duration<double> look{10};  ///< between two looks at Slurm and the results
  bool detach = false;                     ///< when stopped, leave the jobs running
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total, const std::string& queue)> progress;
  std::function<void(const std::string&)> note;  ///< as ExecutorOptions has them
  std::function<void(const Diagnostic&)> warn;
};

/// `graders` are asked for results of what was given up.
Executor on_slurm(Graders graders, ClusterOptions options);

/// The order in which items go to tasks: those of one lab together, for which a task prepares once, and those
/// of one source, which it builds and runs once.
std::vector<std::size_t> grading_order(const Manifest& manifest, std::vector<std::size_t> items);

}  // namespace grader::slurm
