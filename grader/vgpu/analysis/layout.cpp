#include "vgpu/analysis/layout.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace vgpu::exec {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMaxAlignment = 4096;
constexpr std::uint64_t kDynamicAlignment = 16;  // of extern __shared__ arrays compiled by nvcc and clang

std::uint64_t alignment_of(const ptx::Variable& variable) {
  const std::uint64_t natural = std::max<std::uint64_t>(size_of(variable.type), 1);
  return std::clamp<std::uint64_t>(variable.align, natural, kMaxAlignment);
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

void append(Layout& layout, const ptx::Variable& variable) {
  const std::uint64_t start = rounded_up(layout.bytes, alignment_of(variable));
  layout.offsets[variable.name] = start;
  layout.starts.push_back(start);
  layout.sizes[variable.name] = variable.size_bytes;
  layout.bytes = std::min(start + std::min<std::uint64_t>(variable.size_bytes, kMaxBytes), kMaxBytes);
}

void collect(const ptx::Operand& operand, std::vector<std::string>& names) {
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) names.push_back(symbol->name);
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Symbol>(&address->base)) names.push_back(base->name);
  }
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    for (const ptx::Operand& element : vector->elements) collect(element, names);
  }
}

/// True if the function reads %reserved_smem_offset_…, as cooperative groups of several warps do in code for
/// sm_80 and above.
bool uses_reserved_memory(const ptx::Function& function) {
  for (const ptx::Instruction& instruction : function.code) {
    for (const ptx::Operand& operand : instruction.operands) {
      const auto* special = std::get_if<ptx::SpecialRegister>(&operand.value);
      if (special != nullptr && special->name.starts_with(kReservedMemory)) return true;
    }
  }
  return false;
}

}  // namespace

Layout lay_out(const std::vector<ptx::Variable>& variables) {
  Layout layout;
  for (const ptx::Variable& variable : variables) append(layout, variable);
  return layout;
}

Layout frame_layout(const ptx::Function& function) {
  Layout layout;
  // The parameters of a kernel are constants of the register file.
  if (!function.is_entry) {
    for (const ptx::Variable& result : function.returns) append(layout, result);
    for (const ptx::Variable& parameter : function.parameters) append(layout, parameter);
  }
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == ptx::Space::local || variable.space == ptx::Space::param) append(layout, variable);
  }
  return layout;
}

Layout shared_layout(const ptx::Module& module, std::span<const ptx::Function> functions) {
  std::unordered_set<std::string> used;
  for (const ptx::Function& function : functions) {
    for (std::string& name : used_symbols(function)) used.insert(std::move(name));
  }
  std::vector<const ptx::Variable*> shared;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::shared && used.contains(variable.name)) shared.push_back(&variable);
  }
  std::unordered_set<std::string> declared;
  for (const ptx::Function& function : functions) {
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::shared && declared.insert(variable.name).second)
        shared.push_back(&variable);
    }
  }
  Layout layout;
  const auto is_dynamic = [](const ptx::Variable& v) { return v.is_extern || v.size_bytes == 0; };
  for (const ptx::Variable* variable : shared) {
    if (!is_dynamic(*variable)) append(layout, *variable);
  }
  if (std::any_of(functions.begin(), functions.end(), uses_reserved_memory)) {
    append(layout, {.name = std::string(kReservedMemory),
                    .space = ptx::Space::shared,
                    .type = ptx::Type::b64,
                    .align = kDynamicAlignment,
                    .size_bytes = kReservedBytes});
  }
  // All dynamic arrays start at the same place.
  for (const ptx::Variable* variable : shared) {
    if (!is_dynamic(*variable)) continue;
    layout.bytes = rounded_up(layout.bytes, std::max(kDynamicAlignment, alignment_of(*variable)));
  }
  for (const ptx::Variable* variable : shared) {
    if (is_dynamic(*variable)) layout.offsets[variable->name] = layout.bytes;
  }
  return layout;
}

std::vector<PlacedVariable> by_start(const Layout& layout) {
  std::vector<PlacedVariable> variables;
  for (const auto& [name, start] : layout.offsets) {
    const auto size = layout.sizes.find(name);
    if (name != kReservedMemory)
      variables.push_back({name, start, size == layout.sizes.end() ? 0 : size->second});
  }
  std::sort(variables.begin(), variables.end(), [](const PlacedVariable& a, const PlacedVariable& b) {
    return std::tie(a.start, a.name) < std::tie(b.start, b.name);
  });
  return variables;
}

const PlacedVariable* variable_at(std::span<const PlacedVariable> variables, std::uint64_t offset) {
  const auto after =
      std::upper_bound(variables.begin(), variables.end(), offset,
                       [](std::uint64_t wanted, const PlacedVariable& v) { return wanted < v.start; });
  return after == variables.begin() ? nullptr : &*std::prev(after);
}

std::vector<std::string> used_symbols(const ptx::Function& function) {
  std::vector<std::string> names;
  for (const ptx::Instruction& instruction : function.code) {
    for (const ptx::Operand& operand : instruction.operands) collect(operand, names);
  }
  return names;
}

std::vector<std::string> used_as_values(const ptx::Function& function) {
  std::vector<std::string> names;
  for (const ptx::Instruction& instruction : function.code) {
    if (instruction.opcode == ptx::Opcode::call) continue;
    for (const ptx::Operand& operand : instruction.operands) collect(operand, names);
  }
  return names;
}

}  // namespace vgpu::exec
