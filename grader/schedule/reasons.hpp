// The diagnostics that this module itself gives: about packages (WG-S) and about the grader's own files
// (WG-G).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace grader {

/// Larger sources are refused.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;

Diagnostic missing_source(const std::string& name, const std::string& lab);                      // WG-S10
Diagnostic archive_not_read(const std::string& name);                                            // WG-S11
Diagnostic unusable_source(const std::string& name, const std::string& why);                     // WG-S11
Diagnostic submissions_unreadable(const std::filesystem::path& folder, const std::string& why);  // WG-G20
Diagnostic output_unwritable(const std::filesystem::path& file, const std::string& why);         // WG-G21
Diagnostic output_in_use(const std::filesystem::path& folder);                                   // WG-G22
Diagnostic grader_failure(const std::string& what);                                              // WG-G23
Diagnostic results_are_there(const std::filesystem::path& folder);                               // WG-G33
/// Requires: `changes` is not empty.
Diagnostic run_has_changed(const std::filesystem::path& folder,
                           const std::vector<std::string>& changes);                        // WG-G34
Diagnostic manifest_unreadable(const std::filesystem::path& file, const std::string& why);  // WG-G35
Diagnostic other_settings_here(const std::vector<std::string>& differences);                // WG-G37
Diagnostic source_damaged(const std::filesystem::path& file, const std::string& why);       // WG-G36

}  // namespace grader
