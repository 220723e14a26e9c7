// Numbers that the file declares: constants, and extents of arrays in shared memory. A search in text, as in
// source_hints.hpp. Covered by tests/judge/source_hints_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "judge/judge.hpp"

namespace grader {

/// The whole text as a decimal number.
std::optional<std::uint64_t> number_in(std::string_view text);

/// The value of a name that a line defines: "constexpr int kWidth = 2 * kHalf;" or "#define WIDTH 16".
std::optional<std::uint64_t> constant(const SourceText& source, std::string_view name);

/// The name of a `__constant__` or `__device__` variable that the line contains, and the file declares in
/// another line; "": there is none. Lines count from 1.
std::string device_variable_in(const SourceText& source, std::uint32_t line);

/// The number of extents of the array in shared memory, 0 for a single variable. nullopt: the file has no
/// such declaration, or several that differ, or leaves an extent to the launch.
std::optional<std::size_t> extents_of(const SourceText& source, std::string_view array);

/// The elements in a row of the two-dimensional array in shared memory: of `tile[16][kWidth + 1]`, 17 if the
/// file defines kWidth as 16. nullopt if they are not constants, or differ between arrays of that name.
std::optional<std::uint64_t> row_length(const SourceText& source, std::string_view array);

/// The elements of the one-dimensional array in shared memory, under the same conditions.
std::optional<std::uint64_t> vector_length(const SourceText& source, std::string_view array);

}  // namespace grader
