// A function's body: declarations, scopes, labels and instructions (PTX ISA, sections 4.2 "Statements", 5.4,
// 9.2 and 11.3 for the lists of branch and call targets).
#pragma once

#include <string_view>
#include <vector>

#include "vgpu/ptx/declaration.hpp"
#include "vgpu/ptx/function_names.hpp"
#include "vgpu/ptx/lexer.hpp"
#include "vgpu/ptx/operand.hpp"
#include "vgpu/ptx/source_map.hpp"

namespace vgpu::ptx {

class BodyParser {
 public:
  /// `names` has one scope open, with the parameters. `files` receives the names of
  /// the .file directives, `source_map` the locations of the .loc directives.
  BodyParser(TokenStream& tokens, DeclarationParser& declarations, FunctionNames& names, Function& function,
             std::vector<std::string>& files, SourceMap& source_map);

  /// Parses the `{ … }` of the function.
  void parse();

 private:
  void statement();
  void directive();
  void registers();
  void variables(Space space, bool is_extern);
  void label(const Token& name);
  void branch_targets(const Token& name);
  void skip_call_list();
  void instruction(const Token& opcode, std::optional<Guard> guard);
  std::optional<Guard> guard();

  TokenStream& tokens_;
  DeclarationParser& declarations_;
  FunctionNames& names_;
  Function& function_;
  std::vector<std::string>& files_;
  OperandParser operands_;
  SourceMap& source_map_;
};

}  // namespace vgpu::ptx
