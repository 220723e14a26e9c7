#include "vgpu/analysis/rewriting.hpp"

#include <algorithm>

namespace vgpu::exec {

void Rewriting::run() {
  std::vector<ptx::Instruction> old = std::exchange(function_.code, {});
  std::vector<std::uint32_t> moved;
  begin();
  for (ptx::Instruction& instruction : old) {
    moved.push_back(static_cast<std::uint32_t>(function_.code.size()));
    current_ = instruction;
    follow(std::move(instruction));
  }
  moved.push_back(static_cast<std::uint32_t>(function_.code.size()));
  for (ptx::Label& label : function_.labels) label.target = moved[label.target];
}

void Rewriting::emit(ptx::Opcode opcode, std::vector<std::string> modifiers,
                     std::vector<ptx::Operand> operands, const std::optional<ptx::Guard>& guard) {
  ptx::Instruction made;
  made.guard = guard;
  made.opcode = opcode;
  made.modifiers = std::move(modifiers);
  made.operands = std::move(operands);
  made.source = current_.source;
  made.ptx_line = current_.ptx_line;
  function_.code.push_back(std::move(made));
}

void Rewriting::emit_step(std::string_view name, std::string_view type, std::vector<ptx::Operand> operands,
                          const std::optional<ptx::Guard>& guard) {
  emit(ptx::Opcode::unknown, {std::string(type)}, std::move(operands), guard);
  function_.code.back().unknown_opcode = name;
}

ptx::Operand Rewriting::add_register(ptx::Type type) {
  const auto index = static_cast<std::uint32_t>(function_.registers.size());
  function_.registers.push_back({"%added." + std::to_string(index), type});
  return {ptx::Register{index}};
}

bool is_for_space(const ptx::Instruction& instruction, std::string_view space) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(), [&](const std::string& one) {
    return one == space || (one.starts_with(space) && one.substr(space.size()).starts_with("::"));
  });
}

}  // namespace vgpu::exec
