#include "schedule/reasons.hpp"

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

Diagnostic missing_source(const std::string& name, const std::string& lab) {
  return diagnose("WG-S10", fmt::format("{} is missing", name),
                  fmt::format("hand in {1}/{0}, or {0} at the top of the submission", name, lab));
}

Diagnostic archive_not_read(const std::string& name) {
  return diagnose("WG-S11", name + " is an archive; archives are read by a later version",
                  "unpack it into a folder named after the submission and grade again");
}

Diagnostic unusable_source(const std::string& name, const std::string& why) {
  Diagnostic diagnostic =
      diagnose("WG-S11", fmt::format("{} cannot be taken: it {}", name, why),
               fmt::format("hand in a regular file of at most {} bytes", kMaxSourceBytes));
  diagnostic.where = SourceLocation{name, 0};
  return diagnostic;
}

Diagnostic submissions_unreadable(const std::filesystem::path& folder, const std::string& why) {
  return diagnose("WG-G20", fmt::format("cannot read the submissions in {}: {}", folder.string(), why),
                  "name a folder that holds one folder for each submission");
}

Diagnostic output_unwritable(const std::filesystem::path& file, const std::string& why) {
  return diagnose("WG-G21", fmt::format("cannot write {}: {}", file.string(), why),
                  "make room or permit writing there, or choose another folder with --out; then grade again");
}

Diagnostic output_in_use(const std::filesystem::path& folder) {
  return diagnose("WG-G22", fmt::format("another `warpgrade grade` is writing to {}", folder.string()),
                  "wait until it has ended, or choose another folder with --out");
}

Diagnostic grader_failure(const std::string& what) {
  return diagnose("WG-G23", "the grader failed: " + what,
                  "run again; if it stays, `warpgrade doctor` says what is missing here");
}

Diagnostic results_are_there(const std::filesystem::path& folder) {
  return diagnose("WG-G33", folder.string() + " holds the results of an earlier run",
                  "--resume goes on with that run, --only changed grades again what has changed since; or "
                  "choose another folder with --out");
}

Diagnostic run_has_changed(const std::filesystem::path& folder, const std::vector<std::string>& changes) {
  return diagnose("WG-G34", fmt::format("the run in {} cannot go on: {}", folder.string(), first_of(changes)),
                  "undo the change, or grade again what it concerns with --only changed, or choose another "
                  "folder with --out and compare with `warpgrade diff`");
}

Diagnostic manifest_unreadable(const std::filesystem::path& file, const std::string& why) {
  return diagnose("WG-G35", fmt::format("{} cannot be used: {}", file.string(), why),
                  "name a folder that `warpgrade grade` wrote; if this is one, its files are damaged: grade "
                  "into another folder");
}

Diagnostic other_settings_here(const std::vector<std::string>& differences) {
  return diagnose("WG-G37", "this machine would not grade as the manifest says: " + first_of(differences),
                  "install the same kit and compiler on every machine, and grade on the same kind of device");
}

Diagnostic source_damaged(const std::filesystem::path& file, const std::string& why) {
  return diagnose("WG-G36",
                  fmt::format("the copy of a submission's file, {}, is damaged: {}", file.string(), why),
                  "go on with `warpgrade grade … --only failed`, which takes it in again");
}

}  // namespace grader
