// `grade --executor slurm`: the options, and the executor made from them.
#pragma once

#include <string>
#include <vector>

#include "app/session.hpp"
#include "report/progress.hpp"
#include "schedule/class_run.hpp"

namespace grader::app {

struct SlurmCommandOptions {
  std::vector<std::string> site;
  std::size_t items_per_task = 0;
  unsigned attempts = 4;
  double poll_s = 10;
  std::string gpu;  ///< model of the nodes' GPUs; empty: ask this machine's GPU
  bool detach = false;
};
/// Adds options that are valid only together with the option `executor`.
void add_slurm_options(Subcommand command, Option executor, SlurmCommandOptions& options);

/// If `options.gpu` names a GPU model, nothing is graded on this machine, so it needs no GPU. The session
/// then opens the virtual GPU, and settings_on_nodes() puts the named model into the run's settings: both
/// devices, unless `device`, as on the command line, is "cuda".
void look_for_no_gpu(SessionOptions& session, const SlurmCommandOptions& options);
RunSettings settings_on_nodes(RunSettings here, const std::string& device,
                              const SlurmCommandOptions& options);

/// The objects that `graders` refer to, `console` and `progress` must outlive the executor. Usage error: a
/// wrong --slurm-option.
Expected<Executor, Diagnostic> slurm_executor(const SlurmCommandOptions& options, Graders graders,
                                              const Console& console, ProgressLine& progress);

}  // namespace grader::app
