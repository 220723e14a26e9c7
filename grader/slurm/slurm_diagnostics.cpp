#include "slurm/slurm_diagnostics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grader::slurm {
namespace {

std::string last_words(const std::string& log) {
  return log.empty() ? "the last task left no log" : "the last task's log ends with: " + log;
}

}  // namespace

Diagnostic slurm_missing(const std::string& tool) {
  return diagnose(
      "WG-G45", fmt::format("Slurm's program `{}` is not found here", tool),
      "run this where you submit jobs (on Debian: apt install slurm-client), or leave out --executor slurm");
}

Diagnostic job_refused(const std::string& complaint) {
  return diagnose(
      "WG-G47", "Slurm does not take the job: " + complaint,
      "say what this site needs, for instance --slurm-option partition=NAME --slurm-option account=NAME; "
      "then grade with --resume");
}

Diagnostic answer_not_understood(const std::string& complaint) {
  return diagnose("WG-G48", "Slurm cannot be used here: " + complaint,
                  "run that command; the executor needs job arrays and the answers of Slurm's own programs");
}

Diagnostic controller_silent(const std::string& complaint) {
  return diagnose(
      "WG-G49", "Slurm's controller has not answered for long: " + complaint,
      "finished results are kept and jobs may still run; grade with --resume when `squeue` works again");
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
  return diagnose(
      "WG-G51", fmt::format("no task has written to {}; {}", folder.string(), last),
      "choose an --out in a folder that all nodes see under the same path and may write to; if the jobs "
      "were cancelled before they began, grade with --resume");
}

Diagnostic no_healthy_node(const std::set<std::string>& excluded, const std::string& complaint,
                           const std::string& log) {
  Diagnostic diagnostic =
      diagnose("WG-G52",
               fmt::format("no node is left that can grade: {} cannot, and without them Slurm says: {}",
                           fmt::join(excluded, ", "), complaint),
               "see the tasks' logs in DIR/slurm, repair the nodes, then grade with --resume");
  diagnostic.likely_cause = last_words(log);
  return diagnostic;
}

Diagnostic jobs_left(const std::string& complaint) {
  return diagnose("WG-G53", "jobs of this run could not be cancelled: " + complaint,
                  "find them with `squeue --me` and end them with `scancel`; they do no harm to results");
}

}  // namespace grader::slurm
