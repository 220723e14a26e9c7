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

/// What follows `.loc`.
struct Location {
  SourceLine line;
  SourceLine call;  ///< where the line was inlined; line 0: it was not
};

Location location(TokenStream& tokens);

/// Of each file of the module, whether it is a library's: the system's headers, the CUDA Toolkit's wherever
/// it lies, and those of the labs.
std::vector<bool> libraries_among(const std::vector<std::string>& files);

/// The locations of a module's instructions. Compilers write a chain of inlined calls from the outermost one
/// inwards, so that the call of a line is what its place meant last.
class SourceMap {
 public:
  // In the order of the text.
  void begin_function(const std::string& name);
  void add(const Location& location);
  void add_instruction() { of_code_->push_back(now_); }

  /// Gives all instructions their source: of a line of a library that was inlined, the call outside of
  /// libraries. Compilers write the files' names behind the code, so this is for the end of a module.
  void find_sources(Module& module) const;

 private:
  struct Known {
    SourceLine line;
    std::uint32_t call = 0;  ///< an earlier one; 0: it was not inlined
  };

  std::vector<Known> known_{1};
  std::uint32_t now_ = 0;                                    ///< into `known_`: the last .loc
  std::unordered_map<std::uint64_t, std::uint32_t> latest_;  ///< of the function, by line
  std::unordered_map<std::string, std::vector<std::uint32_t>> of_functions_;  ///< by name and instruction
  std::vector<std::uint32_t>* of_code_ = nullptr;                             ///< of the function
};

}  // namespace vgpu::ptx
