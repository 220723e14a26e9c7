// Directives that say where code comes from (PTX ISA, section 11.5): .file, .loc, and .section, whose DWARF
// data is skipped; and whose code it is, the user's or a library's.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "vgpu/ptx/lexer.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::ptx {

/// If the next token is .file, .section or .pragma, takes the whole directive; file names go to `files`.
bool accept_file_section_or_pragma(TokenStream& tokens, std::vector<std::string>& files);

/// Instruction::source and Instruction::call.
struct Location {
  SourceLine line, call;
};

/// What follows `.loc`.
Location location(TokenStream& tokens);

/// The locations of a module's instructions.
class SourceMap {
 public:
  void add(const Location& location);

  /// Replaces each source in a library by the call, as often as it takes. Compilers write the files' names
  /// behind the code, so this is for the end of a module. A call that was itself inlined, and at several
  /// places, counts as inlined at the last of them: .loc does not say more.
  void leave_libraries(Module& module) const;

 private:
  std::unordered_map<std::uint64_t, SourceLine> calls_;  ///< by line
};

}  // namespace vgpu::ptx
