// Which of the loops around a line probably never ends, for a kernel that was stopped there. A search in
// text, as in source_hints.hpp. Covered by tests/judge/endless_loop_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "judge/judge.hpp"

namespace grader {

/// The likely cause; nullopt: no loop is around the line.
std::optional<std::string> endless_loop(const SourceText& source, std::string_view file, std::uint32_t line);

}  // namespace grader
