// The diagnostics that this module itself gives: about the grader's own files (WG-G). Those about what was
// handed in (WG-S) are packages'.
#pragma once

#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "packages/reasons.hpp"

namespace grader {

Diagnostic output_unwritable(const std::filesystem::path& file, const std::string& why);  // WG-G21
Diagnostic output_in_use(const std::filesystem::path& folder);                            // WG-G22
Diagnostic grader_failure(const std::string& what);                                       // WG-G23

}  // namespace grader
