// Text that programs of the kit read, and that people do not read by accident: sealed text is scrambled, not
// encrypted. Whoever has the program can unseal it (grader/doc/decisions/0029-student-archive.md). Covered by
// base/sealed_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// Sealing twice gives the text again.
std::string sealed(std::string_view text);

}  // namespace grader
