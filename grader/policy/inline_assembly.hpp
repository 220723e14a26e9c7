// Finds inline assembly in the assembly code that g++ or clang generates for the host. That text contains
// what the compiler understood, after macros, comments and device code are gone, so no spelling of `asm` can
// hide it. Pure. Covered by tests/policy/inline_assembly_test.cpp.
#pragma once

#include <optional>
#include <string_view>

namespace grader::policy {

/// The views refer to the assembly code.
struct InlineAssembly {
  int line = 0;               ///< in the submission; 0: unknown, as at file scope
  std::string_view function;  ///< the symbol that contains it; empty at file scope
  std::string_view text;      ///< its first line; empty if a mark closes nothing
};

/// The first inline assembly. Three kinds are not reported: statements without instructions, which only order
/// memory accesses (`asm volatile("" ::: "memory")`), the data section with kernels that nvcc adds, and the
/// declaration that <iostream> contains since libstdc++ 13.
/// `source_name` is the submission's file name in the compiler's line records.
std::optional<InlineAssembly> find_inline_assembly(std::string_view assembly, std::string_view source_name);

}  // namespace grader::policy
