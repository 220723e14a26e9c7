// A diagnostic as a block of text for a person (the shape is that of user-facing compilers).
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "report/terminal.hpp"

namespace grader {

/// `path` replaces the diagnostic's own file name, so that the reader can open it; empty = as it is.
std::string diagnostic_text(const Diagnostic& diagnostic, const std::string& path, const Terminal& terminal);

/// "WG-M01 tiled_matmul.cu:31"
std::string short_place(const Diagnostic& diagnostic);

}  // namespace grader
