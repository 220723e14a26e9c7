// The site's Slurm, used through its command-line tools: sbatch, squeue, scancel, scontrol. A run's jobs are
// recognised by their names alone, so that no job is lost when an executor is killed. Covered by
// slurm/cluster_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "slurm/options.hpp"
#include "slurm/scheduler.hpp"

namespace grader::slurm {

struct SlurmJobs {
  std::string run;  ///< prefix of the names of all jobs: "warpgrade-3f2a…-"
  bool needs_gpu = false;
  SiteOptions site;
  std::filesystem::path script;        ///< absolute
  std::vector<std::string> arguments;  ///< arguments of the script after the array's folder
};

/// Error WG-G45: Slurm is not installed on this machine.
Expected<std::unique_ptr<Scheduler>, Diagnostic> open_slurm(SlurmJobs jobs);

}  // namespace grader::slurm
