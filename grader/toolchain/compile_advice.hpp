// What to do about the most common error messages of nvcc, clang and g++. Pure. Covered by
// toolchain/compile_advice_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// For any message: general advice if the message is not a common one.
std::string compile_advice(std::string_view message);

/// Why clang rejects a call, from the note after its error; empty for every other line.
std::string_view reason_in_note(std::string_view line);

}  // namespace grader
