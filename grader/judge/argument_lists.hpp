// Lists of arguments and parameters in the text of the student's file. A search in text, as in
// source_hints.hpp. Covered by tests/judge/visible_mistakes_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

namespace grader {

/// The parts of the list in the parentheses with which the text begins.
std::vector<std::string> parts_of(std::string_view text);
/// "in" of "const float* in".
std::vector<std::string> names_of(std::vector<std::string> declarations);
/// Of the first list after the function's name in this code; empty: there is no such list.
std::vector<std::string> parameter_names(std::string_view code, std::string_view function);

/// The code from the line on, which counts from 1, as far as a list is likely to go.
std::string code_from(const SourceText& source, std::uint32_t line);

/// Of the kernel's definition or declaration, as written; empty: not found.
std::vector<std::string> parameter_list(const SourceText& source, std::string_view kernel);

/// Names of what the call in the line passes; "" for an argument that is computed. `before`: what precedes
/// the list, after the function's name.
std::vector<std::string> arguments_in(const SourceText& source, std::uint32_t line, std::string_view function,
                                      std::string_view before);

/// What the launch in the line has between <<< and >>>, as written.
std::vector<std::string> configuration_in(const SourceText& source, std::uint32_t line);

/// Without the usual marks of device pointers: "x" of "d_x".
std::string_view plain(std::string_view name);

}  // namespace grader
