// A diagnostic as a block of text for people, in the layout of compiler messages.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "report/terminal.hpp"

namespace grader {

/// `path` replaces the diagnostic's own file name, so that the reader can open the file; empty: unchanged.
std::string diagnostic_text(const Diagnostic& diagnostic, const std::string& path, const Terminal& terminal);

/// "WG-M01 tiled_matmul.cu:31"
std::string short_place(const Diagnostic& diagnostic);

}  // namespace grader
