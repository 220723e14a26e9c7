// The command lines of Slurm's tools, as argument lists. No shell parses them, so folders and names may
// contain any characters. Pure. Covered by slurm/commands_test.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "slurm/options.hpp"

namespace grader::slurm {

using Command = std::vector<std::string>;

/// One array of tasks that run the same script. Each task finds its index in SLURM_ARRAY_TASK_ID.
struct ArrayJob {
  std::string name;
  std::size_t tasks = 1;                 ///< indices 0 … tasks - 1
  bool needs_gpu = false;                ///< one GPU per task, unless the site's options set another number
  std::set<std::string> excluded_nodes;  ///< in addition to the site's `exclude`
  SiteOptions site;
  std::string script;                  ///< path
  std::vector<std::string> arguments;  ///< of the script
};

Command sbatch(const ArrayJob& job);

/// Prints one line, in the format that answers.hpp parses, per task of this user that the controller
/// remembers, including ended tasks.
Command squeue(unsigned user);

/// `jobs`: whole arrays ("12") or single tasks ("12_3"); not empty.
Command scancel(const std::vector<std::string>& jobs);

Command show_config();

/// Prints one line, in the format that answers.hpp parses, per reason why nodes accept no jobs. Restricted to
/// the partition of `site`, if it names one.
Command sinfo_reasons(const SiteOptions& site);

}  // namespace grader::slurm
