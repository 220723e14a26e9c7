// A roster: a CSV file from the instructor that assigns submissions to people in another system. A gradebook
// exported from Canvas or Moodle is a roster. Covered by export/roster_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "export/class_results.hpp"

namespace grader {

/// People by the submission's id.
using Roster = std::map<std::string, Identity>;

/// `column` is the name of the column with the submissions' ids. Column names are case-insensitive; known are
/// those of Canvas and Moodle and the keys of Identity. Error WG-G57: the file cannot be read, a column is
/// missing, or two rows have the same id.
Expected<Roster, Diagnostic> read_roster(const std::filesystem::path& file, const std::string& column);

/// Adds the roster's data to the submissions' identities. Returns the submissions that are not in the roster;
/// their owners are not guessed.
std::vector<std::string> apply_roster(ClassResults& results, const Roster& roster);

}  // namespace grader
