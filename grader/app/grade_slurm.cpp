#include "app/grade_slurm.hpp"

#include "app/exit_codes.hpp"
#include "app/interrupt.hpp"
#include "slurm/grade_on_slurm.hpp"

namespace grader::app {

void add_slurm_options(Subcommand command, Option executor, SlurmCommandOptions& options) {
  const auto here = [&](Option option) { option.only_with(executor, "With --executor slurm"); };
  here(command
           .option("--slurm-option", options.site,
                   "option for sbatch, for example partition=gpu; may be repeated; one of: " +
                       slurm::known_site_options())
           .type_name("KEY=VALUE"));
  here(command
           .option("--slurm-chunk", options.items_per_task,
                   "results per task (default: 5, more in large classes)")
           .range(1, 10'000)
           .type_name("N"));
  here(command
           .option("--slurm-attempts", options.attempts,
                   "tasks that may fail on one result before it counts as a fault of the grader (default: 4)")
           .range(1, 100)
           .type_name("N"));
  here(command
           .option("--gpu", options.gpu,
                   "grade on the nodes' GPUs of this model, as nvidia-smi names it; this machine then needs "
                   "no GPU")
           .type_name("MODEL"));
  here(command
           .option("--slurm-look", options.poll_s,
                   "seconds between two queries of the job queue (default: 10)")
           .range(0.2, 600.0)
           .type_name("SECONDS"));
  here(command.flag("--detach", options.detach,
                    "on Ctrl-C, leave the jobs running; --resume collects their results"));
}

void look_for_no_gpu(SessionOptions& session, const SlurmCommandOptions& options) {
  if (!options.gpu.empty()) session.device = "virtual";
}

RunSettings settings_on_nodes(RunSettings here, const std::string& device,
                              const SlurmCommandOptions& options) {
  if (options.gpu.empty()) return here;
  const Devices devices = device == to_string(Devices::cuda) ? Devices::cuda : Devices::both;
  here.device = to_string(devices);
  (devices == Devices::both ? here.gpu : here.profile) = options.gpu;
  return here;
}

Expected<Executor, Diagnostic> slurm_executor(const SlurmCommandOptions& options, Graders graders,
                                              const Console& console, ProgressLine& progress) {
  auto site = slurm::read_site_options(options.site);
  if (!site) return Unexpected{site.error()};
  slurm::ClusterOptions cluster;
  cluster.site = *std::move(site);
  cluster.program = std::filesystem::read_symlink("/proc/self/exe");
  cluster.items_per_task = options.items_per_task;
  cluster.attempts = options.attempts;
  cluster.poll_interval = std::chrono::duration<double>(options.poll_s);
  cluster.detach = options.detach;
  cluster.stop = &stop_flag();
  cluster.progress = [&progress](std::size_t done, std::size_t total, const std::string& text) {
    progress.show(done, total, text);
  };
  cluster.note = [&progress](const std::string& text) {
    progress.clear();
    say("note: " + text);
  };
  cluster.warn = [&](const Diagnostic& diagnostic) {
    progress.clear();
    complain(console, diagnostic, kPassed);
  };
  return slurm::on_slurm(std::move(graders), std::move(cluster));
}

}  // namespace grader::app
