// Grades a run's items on a Slurm cluster: an Executor (schedule/class_run.hpp) for many machines. DIR and
// the kit must be in folders that all nodes share; the site needs nothing else. Covered by
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
  std::filesystem::path program;                    ///< absolute path of warpgrade, also on the nodes
  unsigned attempts = 4;                            ///< per item
  std::size_t items_per_task = 0;                   ///< 0: automatic
  std::chrono::duration<double> poll_interval{10};  ///< between two polls of Slurm and the results
  bool detach = false;                              ///< after a stop, leave the jobs running
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total, const std::string& queue)> progress;
  std::function<void(const std::string&)> note;  ///< as in ExecutorOptions
  std::function<void(const Diagnostic&)> warn;
};

/// `graders` make the results of items that are given up.
Executor on_slurm(Graders graders, ClusterOptions options);

/// The order in which items go to tasks. Items of one lab are together, because a task prepares each lab
/// once; so are items with the same source, because a task builds and runs each source once.
std::vector<std::size_t> grading_order(const Manifest& manifest, std::vector<std::size_t> items);

}  // namespace grader::slurm
