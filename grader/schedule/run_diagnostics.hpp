// Diagnostics about a grading run and its files (WG-G). Diagnostics about submissions (WG-S) are in
// packages/package_diagnostics.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "packages/package_diagnostics.hpp"

namespace grader {

Diagnostic output_unwritable(const std::filesystem::path& file, const std::string& why);  // WG-G21
Diagnostic output_in_use(const std::filesystem::path& folder);                            // WG-G22
Diagnostic grader_failure(const std::string& what);                                       // WG-G23
Diagnostic results_exist(const std::filesystem::path& folder);                            // WG-G33
/// `why`: of the last measurement (why_disturbed()).
Diagnostic disturbed_measurement(const std::string& case_name, std::size_t count,
                                 const std::string& why);  // WG-G77
/// Requires: `changes` is not empty.
Diagnostic run_has_changed(const std::filesystem::path& folder,
                           const std::vector<std::string>& changes);  // WG-G34
/// Requires: `left_out` is not empty.
Diagnostic results_left_out(const std::filesystem::path& folder,
                            const std::vector<std::string>& left_out);                      // WG-G61
Diagnostic manifest_unreadable(const std::filesystem::path& file, const std::string& why);  // WG-G35
Diagnostic other_settings_here(const std::vector<std::string>& differences);                // WG-G37
Diagnostic cannot_apply(const std::filesystem::path& folder, const std::string& why);       // WG-G38
Diagnostic source_damaged(const std::filesystem::path& file, const std::string& why);       // WG-G36

}  // namespace grader
