// The command lines of Slurm's tools, as argument lists: no shell reads them, so folders and names may hold
// any characters. Pure. Covered by slurm/commands_test.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "slurm/options.hpp"

namespace grader::slurm {

using Command = std::vector<std::string>;

/// One array of tasks that run the same script, each told its index by SLURM_ARRAY_TASK_ID.
struct ArrayJob {
  std::string name;
  std::size_t tasks = 1;                 ///< indices 0 … tasks - 1
  bool needs_gpu = false;                ///< one for each task, unless the site's options say otherwise
  std::set<std::string> excluded_nodes;  ///< in addition to the site's `exclude`
  SiteOptions site;
  std::string script;                  ///< path
  std::vector<std::string> arguments;  ///< of the script
};

Command sbatch(const ArrayJob& job);

/// A line for each task of this user that the controller remembers, ended ones too, as answers.hpp reads it.
Command squeue(unsigned user);

/// `jobs`: whole arrays ("12") or single tasks ("12_3"); not empty.
Command scancel(const std::vector<std::string>& jobs);

Command show_config();

/// A line for each reason why nodes take no jobs, as answers.hpp reads it; in the partition of `site`, if it
/// names one.
Command sinfo_reasons(const SiteOptions& site);

}  // namespace grader::slurm
