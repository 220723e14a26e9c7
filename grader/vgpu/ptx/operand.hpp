// Operands of instructions (PTX ISA, chapter 6): registers, numbers, special registers, symbols, addresses,
// vectors, `p|q` pairs and the lists of calls.
#pragma once

#include <string_view>
#include <vector>

#include "vgpu/ptx/function_names.hpp"
#include "vgpu/ptx/lexer.hpp"

namespace vgpu::ptx {

class OperandParser {
 public:
  OperandParser(TokenStream& tokens, FunctionNames& names) : tokens_(tokens), names_(names) {}

  /// Parses the operands of instruction `index` up to its ';', which is not consumed. `opcode` selects the
  /// forms of chapter 9 that are not operands: the lists of `call`, the label of `bra`.
  std::vector<Operand> parse(Opcode opcode, std::size_t index);
  Register parse_register();

 private:
  Operand operand();
  Operand simple();
  Operand named();
  Operand address();
  Operand list(char open, char close);
  std::int64_t offset();

  TokenStream& tokens_;
  FunctionNames& names_;
  bool is_branch_ = false;
  LaterName here_;  ///< the operand being parsed
};

}  // namespace vgpu::ptx
