// A roster: a CSV file of the instructor's that says who the submissions belong to in another system. A
// gradebook exported from Canvas or Moodle is one. Covered by export/roster_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "export/class_results.hpp"

namespace grader {

/// By what the column that was asked for holds: the ids of submissions.
using Roster = std::map<std::string, Identity>;

/// `column` names the one that holds the ids of submissions. Names of columns are compared without regard to
/// case; the ones known are Canvas' and Moodle's and the keys of Identity. WG-G57 when the file cannot be
/// read, a column is missing, or two rows have the same id.
Expected<Roster, Diagnostic> read_roster(const std::filesystem::path& file, const std::string& column);

/// Fills in what the roster knows. Returns the submissions that it does not have; nobody is guessed.
std::vector<std::string> apply_roster(ClassResults& results, const Roster& roster);

}  // namespace grader
