// Finds names of sections and symbols that the host compiler would copy into its assembly code as more than a
// name. g++ does not quote them, so a line feed or a semicolon in
//
//   __attribute__((section("…"))), weakref, alias, symver, int f() asm("…")
//
// adds instructions that no mark encloses (policy/inline_assembly.hpp). Reads the C++ text that nvcc passes
// to g++, in which macros are expanded and the bodies of device functions are in #if 0. Pure. Covered by
// tests/policy/emitted_names_test.cpp.
#pragma once

#include <optional>
#include <string_view>

namespace grader::policy {

struct BadName {
  int line = 0;           ///< in the submission; 0: in another file
  std::string_view text;  ///< the string literal, without quotes, as written in the text
};

/// The first string literal in an attribute, or in an asm declaration without operands, with a character that
/// no name needs: a backslash, a control character, a quote or a semicolon. The text of messages
/// ([[deprecated("…")]]) is not restricted. `source_name` is the submission's file name in line records.
std::optional<BadName> find_bad_name(std::string_view host_source, std::string_view source_name);

}  // namespace grader::policy
