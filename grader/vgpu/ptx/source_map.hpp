// Directives that say where code comes from (PTX ISA, section 11.5): .file, .loc, and .section, whose DWARF
// data is skipped.
#pragma once

#include <string>
#include <vector>

#include "vgpu/ptx/lexer.hpp"

namespace vgpu::ptx {

/// If the next token is .file, .section or .pragma, takes the whole directive; file names go to `files`.
bool accept_file_section_or_pragma(TokenStream& tokens, std::vector<std::string>& files);

/// What follows `.loc`. Of an inlined line it is the line's own place, not that of the call.
SourceLine source_line(TokenStream& tokens);

}  // namespace vgpu::ptx
