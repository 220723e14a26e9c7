// Which programs this machine has.
#pragma once

#include <filesystem>
#include <string_view>

namespace grader {

/// A regular file that this user may execute.
bool is_program(const std::filesystem::path& candidate);

/// The first program of that name in PATH's absolute folders; empty if there is none. A relative folder would
/// lead to what lies wherever the grader was started.
std::filesystem::path find_program(std::string_view name);

}  // namespace grader
