// Kernel launches with arguments in braces, k<<<{2, 2}, {32}>>>(), which nvcc accepts and clang does not.
// Covered by tests/toolchain/braced_launches_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// The source with the type before each such argument: k<<<dim3{2, 2}, dim3{32}>>>(). Lines do not change;
/// comments and literals are not affected. Launches that macros form from parts are not recognised.
std::string with_typed_launches(std::string_view source);

}  // namespace grader
