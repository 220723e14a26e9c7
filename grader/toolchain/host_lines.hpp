// Compiler options that keep the source line of each host call, without compiling for debugging.
#pragma once

namespace grader {

/// Keeps the caller on the stack: its last call does not become a jump.
inline constexpr const char* kEveryCallerStays = "-fno-optimize-sibling-calls";

/// For g++, which otherwise merges identical ends of several branches, such as several launches of a kernel,
/// into one call. Must be passed as one word after -Xcompiler.
inline constexpr const char* kEveryCallStays =
    "-fno-optimize-sibling-calls,-fno-crossjumping,-fno-tree-tail-merge";

}  // namespace grader
