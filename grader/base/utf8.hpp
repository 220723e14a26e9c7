// UTF-8, one character at a time. Covered by report/terminal_test.cpp and toolchain/compiler_output_test.cpp.
#pragma once

#include <string_view>

namespace grader {

/// Represents a byte that is not part of valid UTF-8; no character has this number.
inline constexpr char32_t kBrokenCharacter = 0xFFFFFFFF;

/// Removes one character from the front of `text`, which must not be empty. For invalid, overlong or
/// surrogate sequences it removes one byte and returns kBrokenCharacter.
char32_t take_character(std::string_view& text);

}  // namespace grader
