#include "slurm/slurm_diagnostics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grader::slurm {
namespace {

std::string end_of_log(const std::string& log) {
  return log.empty() ? "the last task left no log" : "the last task's log ends with: " + log;
}

}  // namespace

Diagnostic slurm_missing(const std::string& tool) {
  return diagnose(
      "WG-G45", fmt::format("cannot find Slurm's program `{}` on this machine", tool),
      "run this where you submit jobs (on Debian: apt install slurm-client), or leave out --executor slurm");
}

Diagnostic job_refused(const std::string& complaint) {
  return diagnose("WG-G47", "Slurm does not accept the job: " + complaint,
                  "add the options that this site requires, for example --slurm-option partition=NAME "
                  "--slurm-option account=NAME, and grade with --resume");
}

Diagnostic answer_not_understood(const std::string& complaint) {
  return diagnose(
      "WG-G48", "Slurm cannot be used here: " + complaint,
      "run that command yourself; the executor needs job arrays and the output of Slurm's own programs");
}

Diagnostic controller_silent(const std::string& complaint) {
  return diagnose(
      "WG-G49", "Slurm's controller has not answered for a long time: " + complaint,
      "finished results are kept, and jobs might still run; grade with --resume when `squeue` works again");
}

Diagnostic given_up(unsigned attempts, const std::string& last, const std::string& log) {
  Diagnostic diagnostic = diagnose(
      "WG-G50", fmt::format("{} attempts to grade this on the cluster left no result; {}", attempts, last),
      "grade again with --resume --only failed, or on one machine without --executor slurm");
  diagnostic.likely_cause =
      log.empty() ? "the last task left no log" : "the last task's log ends with: " + log;
  return diagnostic;
}

Diagnostic folder_not_shared(const std::filesystem::path& folder, const std::string& last) {
  return diagnose("WG-G51", fmt::format("no task has written to {}; {}", folder.string(), last),
                  "choose an --out in a folder that all nodes can write to under the same path; if the jobs "
                  "were cancelled before they began, grade with --resume");
}

Diagnostic no_healthy_node(const std::set<std::string>& excluded, const std::string& complaint,
                           const std::string& log) {
  Diagnostic diagnostic =
      diagnose("WG-G52",
               fmt::format("no node is left that can grade: {} cannot, and without them Slurm reports: {}",
                           fmt::join(excluded, ", "), complaint),
               "read the tasks' logs in DIR/slurm, repair the nodes, and grade with --resume");
  diagnostic.likely_cause = end_of_log(log);
  return diagnostic;
}

Diagnostic jobs_left(const std::string& complaint) {
  return diagnose("WG-G53", "jobs of this run could not be cancelled: " + complaint,
                  "list them with `squeue --me` and cancel them with `scancel`; they do not affect results");
}

}  // namespace grader::slurm
