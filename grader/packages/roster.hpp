// Gradescope's submission_metadata.yml: who handed in which folder. The file quotes what students' programs
// printed, so it is read in a box (read_roster.cpp), by libyaml. Covered by packages/roster_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/hand_in.hpp"

namespace grader {

struct RosterEntry {
  std::vector<Identity> people;
  std::string submitted_at;
};
using HandInRoster = std::map<std::string, RosterEntry>;  ///< by folder: "submission_12345678"

/// In the box: from YAML. The error is libyaml's, with the line.
Expected<HandInRoster, std::string> parse_roster(const std::string& yaml);

/// Between box and grader.
std::string roster_json(const HandInRoster& roster);
Expected<HandInRoster, std::string> read_roster_json(const std::string& json);

}  // namespace grader
