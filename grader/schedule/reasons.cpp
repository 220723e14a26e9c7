#include "schedule/reasons.hpp"

#include <fmt/format.h>

namespace grader {

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
