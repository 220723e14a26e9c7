// Gradescope's submission_metadata.yml, which lists the authors of each folder. The file quotes output of
// students' programs, so it is read in a sandbox (read_roster.cpp), with libyaml. Covered by
// packages/roster_test.cpp.
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

/// Parses the YAML file; used in the sandbox. The error is libyaml's message with the line.
Expected<HandInRoster, std::string> parse_roster(const std::string& yaml);

/// The format between the sandbox and the grader.
std::string roster_json(const HandInRoster& roster);
Expected<HandInRoster, std::string> read_roster_json(const std::string& json);

}  // namespace grader
