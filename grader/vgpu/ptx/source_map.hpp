// Directives that describe code (PTX ISA, sections 11.4 and 11.5): .file, .loc, .section, whose DWARF data is
// skipped, and .pragma; and the distinction between the user's code and libraries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vgpu/ptx/lexer.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::ptx {

/// Parses the whole directive if the next token is .file or .section; adds file names to `files`.
bool accept_file_or_section(TokenStream& tokens, std::vector<std::string>& files);

/// Parses the whole directive if the next token is .pragma, and returns its texts, parts of the PTX text.
std::optional<std::vector<std::string_view>> accept_pragma(TokenStream& tokens);

/// What follows `.loc`.
struct Location {
  SourceLine line;
  SourceLine call;  ///< where the line was inlined; line 0: not inlined
};

Location location(TokenStream& tokens);

/// By file of the module, whether it belongs to a library: headers of the system, of the CUDA Toolkit in any
/// folder, and of the labs.
std::vector<bool> libraries_among(const std::vector<std::string>& files);

/// The locations of a module's instructions. Compilers write a chain of inlined calls from the outermost call
/// inwards, so the call of a line is the latest .loc at the place of that call.
class SourceMap {
 public:
  // Must be called in the order of the text.
  void begin_function(const std::string& name);
  void add(const Location& location);
  void add_instruction() { of_code_->push_back(now_); }

  /// Sets the source of all instructions: for inlined code of a library, the call outside of libraries.
  /// Compilers write the names of files after the code, so this is called at the end of a module.
  void find_sources(Module& module) const;

 private:
  struct Known {
    SourceLine line;
    std::uint32_t call = 0;  ///< index of an earlier location; 0: the code was not inlined
  };

  std::vector<Known> known_{1};
  std::uint32_t now_ = 0;  ///< index into `known_`: the last .loc
  std::unordered_map<std::uint64_t, std::uint32_t>
      latest_;  ///< by line of the current function: index into `known_`
  std::unordered_map<std::string, std::vector<std::uint32_t>>
      of_functions_;                               ///< by name and instruction: index into `known_`
  std::vector<std::uint32_t>* of_code_ = nullptr;  ///< of the function
};

}  // namespace vgpu::ptx
