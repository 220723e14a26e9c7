#include "schedule/run_diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace grader {
namespace {

std::string first_of(const std::vector<std::string>& sentences) {
  constexpr std::size_t kShown = 5;
  std::string list = sentences.front();
  for (std::size_t i = 1; i < std::min(sentences.size(), kShown); ++i) list += "; " + sentences[i];
  if (sentences.size() > kShown) list += fmt::format("; and {} more", sentences.size() - kShown);
  return list;
}

}  // namespace

Diagnostic output_unwritable(const std::filesystem::path& file, const std::string& why) {
  return diagnose(
      "WG-G21", fmt::format("cannot write {}: {}", file.string(), why),
      "free some disk space or allow writing there, or choose another folder with --out; then grade again");
}

Diagnostic output_in_use(const std::filesystem::path& folder) {
  return diagnose("WG-G22", fmt::format("another `warpgrade grade` is writing to {}", folder.string()),
                  "wait until it ends, or choose another folder with --out");
}

Diagnostic grader_failure(const std::string& what) {
  return diagnose(
      "WG-G23", "the grader failed: " + what,
      "run the command again; if the problem persists, `warpgrade doctor` shows what is missing here");
}

Diagnostic disturbed_measurement(const std::string& case_name, std::size_t count, const std::string& why) {
  return diagnose("WG-G77",
                  fmt::format("the speed-up of {} could not be measured {} times: {}", case_name, count, why),
                  "end other programs on the GPU (`nvidia-smi` lists them) or let it cool, then grade again");
}

Diagnostic results_exist(const std::filesystem::path& folder) {
  return diagnose("WG-G33", folder.string() + " contains the results of an earlier run",
                  "continue that run with --resume, grade what has changed since with --only changed, or "
                  "choose another folder with --out");
}

Diagnostic run_has_changed(const std::filesystem::path& folder, const std::vector<std::string>& changes) {
  return diagnose("WG-G34",
                  fmt::format("the run in {} cannot be continued: {}", folder.string(), first_of(changes)),
                  "undo the change, or grade the affected submissions again with --only changed, or choose "
                  "another folder with --out and compare with `warpgrade diff`");
}

Diagnostic results_left_out(const std::filesystem::path& folder, const std::vector<std::string>& left_out) {
  return diagnose(
      "WG-G61",
      fmt::format("{} contains results that this command would drop: {}", folder.string(),
                  first_of(left_out)),
      "name the folder of the whole class (with late files added to it) and all its labs, or grade into "
      "another folder with --out; to drop a submission, first move its folder out of " +
          (folder / "results").string());
}

Diagnostic manifest_unreadable(const std::filesystem::path& file, const std::string& why) {
  return diagnose("WG-G35", fmt::format("{} cannot be used: {}", file.string(), why),
                  "name a folder that `warpgrade grade` wrote; if this is such a folder, its files are "
                  "damaged: grade into another folder");
}

Diagnostic other_settings_here(const std::vector<std::string>& differences) {
  return diagnose("WG-G37", "this machine cannot grade as the manifest requires: " + first_of(differences),
                  "install the same kit and compiler on every machine, and grade on the same kind of device");
}

Diagnostic cannot_apply(const std::filesystem::path& folder, const std::string& why) {
  return diagnose(
      "WG-G38", fmt::format("{} cannot be applied: {}", folder.string(), why),
      "first finish grading the whole class there, for all of its labs: `warpgrade grade … --resume`");
}

Diagnostic source_damaged(const std::filesystem::path& file, const std::string& why) {
  return diagnose("WG-G36",
                  fmt::format("the copy of a submission's file, {}, is damaged: {}", file.string(), why),
                  "run `warpgrade grade … --only failed`, which copies the file again");
}

}  // namespace grader
