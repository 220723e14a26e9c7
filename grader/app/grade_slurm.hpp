// `grade --executor slurm`: its options, and the executor made from them.
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
  double look_s = 10;
  std::string gpu;  ///< model of the nodes' GPUs, when this machine is not to be asked
  bool detach = false;
};
/// They need `executor`.
void add_slurm_options(Subcommand command, Option executor, SlurmCommandOptions& options);

/// With a GPU's name given, nothing is graded here and this machine needs no GPU: the session's device to
/// open, and the run's settings.
void look_for_no_gpu(SessionOptions& session, const SlurmCommandOptions& options);
RunSettings settings_on_nodes(RunSettings here, const SlurmCommandOptions& options);

/// What `graders` hold on to, `console` and `progress` must outlive the executor. WG-G46: a wrong
/// --slurm-option.
Expected<Executor, Diagnostic> slurm_executor(const SlurmCommandOptions& options, Graders graders,
                                              const Console& console, ProgressLine& progress);

}  // namespace grader::app
