// The site's Slurm, through its command-line tools: sbatch, squeue, scancel, scontrol. Everything that it
// knows of a run it finds by the names of jobs, so a killed executor loses no job. Covered by
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
  std::string run;  ///< begins the names of all jobs: "warpgrade-3f2a…-"
  bool needs_gpu = false;
  SiteOptions site;
  std::filesystem::path script;        ///< absolute
  std::vector<std::string> arguments;  ///< of the script, after the array's folder
};

/// WG-G45: this machine has no Slurm.
Expected<std::unique_ptr<Scheduler>, Diagnostic> open_slurm(SlurmJobs jobs);

}  // namespace grader::slurm
