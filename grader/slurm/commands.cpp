#include "slurm/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grader::slurm {
namespace {

/// The site's options, with those added that the job needs.
SiteOptions merged(const ArrayJob& job) {
  SiteOptions options = job.site;
  if (job.needs_gpu) options.emplace("gres", "gpu:1");
  if (!job.excluded_nodes.empty()) {
    std::string& exclude = options["exclude"];
    exclude = fmt::format("{}{}{}", exclude, exclude.empty() ? "" : ",", fmt::join(job.excluded_nodes, ","));
  }
  return options;
}

}  // namespace

Command sbatch(const ArrayJob& job) {
  Command command = {
      "sbatch",
      "--parsable",
      "--job-name=" + job.name,
      fmt::format("--array=0-{}", job.tasks - 1),
      "--nodes=1",
      "--ntasks=1",
      "--requeue",           // Slurm restarts the task after a node failure or preemption
      "--export=NIL",        // pass no secrets to the controller; the script makes its own environment
      "--propagate=NONE",    // limits of the login machine do not apply to the nodes
      "--chdir=/",           // Slurm interprets % and \ in names of folders;
      "--output=/dev/null",  // therefore the script opens its log itself
  };
  for (const auto& [key, value] : merged(job)) command.push_back(fmt::format("--{}={}", key, value));
  command.push_back(job.script);
  command.insert(command.end(), job.arguments.begin(), job.arguments.end());
  return command;
}

Command squeue(unsigned user) {
  return {"squeue",
          "--noheader",
          "--array",
          "--states=all",
          fmt::format("--user={}", user),
          "--format=%F|%K|%T|%N|%r|%j"};
}

Command scancel(const std::vector<std::string>& jobs) {
  Command command = {"scancel"};
  command.insert(command.end(), jobs.begin(), jobs.end());
  return command;
}

Command show_config() { return {"scontrol", "show", "config"}; }

Command sinfo_reasons(const SiteOptions& site) {
  Command command = {"sinfo", "--list-reasons", "--noheader", "--format=%N|%E"};
  if (const auto partition = site.find("partition"); partition != site.end())
    command.push_back("--partition=" + partition->second);
  return command;
}

}  // namespace grader::slurm
