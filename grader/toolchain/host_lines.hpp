// What host code needs so that each call keeps a line of its own, without being compiled for debugging.
#pragma once

namespace grader {

/// On the stack, instead of a jump to what it calls last.
inline constexpr const char* kEveryCallerStays = "-fno-optimize-sibling-calls";

/// For g++, which else makes one call of the equal ends of several branches, such as those of several
/// launches of a kernel. As one word behind -Xcompiler.
inline constexpr const char* kEveryCallStays =
    "-fno-optimize-sibling-calls,-fno-crossjumping,-fno-tree-tail-merge";

}  // namespace grader
