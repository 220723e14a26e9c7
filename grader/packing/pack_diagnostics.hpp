// Diagnostics about archives that the kit writes (WG-G70, WG-G72).
#pragma once

#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"

namespace grader {

Diagnostic no_student_archive(const std::string& why, const std::string& next_step);  // WG-G70
Diagnostic no_hand_in(const std::string& why, const std::string& next_step);          // WG-G72

}  // namespace grader
