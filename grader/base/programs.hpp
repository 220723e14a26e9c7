// Finds programs that are installed on this machine.
#pragma once

#include <filesystem>
#include <string_view>

namespace grader {

/// True for a regular file that this user may execute.
bool is_program(const std::filesystem::path& candidate);

/// The first program of that name in PATH's absolute folders; empty if there is none. Relative folders are
/// ignored: they would depend on the folder in which the grader was started.
std::filesystem::path find_program(std::string_view name);

}  // namespace grader
