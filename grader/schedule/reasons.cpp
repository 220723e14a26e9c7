#include "schedule/reasons.hpp"

#include <fmt/format.h>

namespace grader {

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

}  // namespace grader
