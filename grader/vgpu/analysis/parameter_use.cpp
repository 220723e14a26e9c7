#include "vgpu/analysis/parameter_use.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

class Use {
 public:
  explicit Use(const ptx::Function& kernel) : kernel_(kernel), layout_(lay_out(kernel.parameters)) {
    constexpr std::uint64_t kMost = 32764;  // PTX ISA, ".param state space"; more cannot be launched
    read_.resize(std::min(layout_.bytes, kMost));
    for (const ptx::Instruction& one : kernel.code)
      for (const ptx::Operand& operand : one.operands) count(operand);
  }

  std::vector<bool> take() {
    for (const ptx::Instruction& one : kernel_.code)
      for (const ptx::Operand& operand : one.operands) add(one, operand);
    return std::move(read_);
  }

 private:
  void count(const ptx::Operand& operand) {
    if (const auto* one = std::get_if<ptx::Register>(&operand.value)) ++uses_[one->index];
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
      for (const ptx::Operand& element : vector->elements) count(element);
    const auto* address = std::get_if<ptx::Address>(&operand.value);
    const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
    if (base != nullptr) ++uses_[base->index];
  }

  /// Compilers load padding together with its neighbours, into registers that nothing uses.
  void mark_load(const ptx::Instruction& load, std::uint64_t start, std::size_t element_bytes) {
    const auto* vector = std::get_if<ptx::Vector>(&load.operands.front().value);
    if (vector == nullptr) return mark(start, element_bytes);
    for (std::size_t i = 0; i < vector->elements.size(); ++i) {
      const auto* to = std::get_if<ptx::Register>(&vector->elements[i].value);
      if (to != nullptr && uses_[to->index] > 1) mark(start + i * element_bytes, element_bytes);
    }
  }

  void add(const ptx::Instruction& instruction, const ptx::Operand& operand) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) return add_all(symbol->name);
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
      for (const ptx::Operand& element : vector->elements) add(instruction, element);
      return;
    }
    const auto* address = std::get_if<ptx::Address>(&operand.value);
    const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Symbol>(&address->base);
    if (base == nullptr) return;
    const auto found = layout_.offsets.find(base->name);
    if (found == layout_.offsets.end()) return;
    const std::size_t bytes = size_of(type_of(instruction));
    if (space_of(instruction) != ptx::Space::param || bytes == 0) return add_all(base->name);
    mark_load(instruction, found->second + static_cast<std::uint64_t>(address->offset), bytes);
  }

  void add_all(const std::string& name) {
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i)
      if (kernel_.parameters[i].name == name) mark(layout_.starts[i], kernel_.parameters[i].size_bytes);
  }

  void mark(std::uint64_t start, std::uint64_t bytes) {
    for (std::uint64_t i = start; i < read_.size() && i - start < bytes; ++i) read_[i] = true;
  }

  const ptx::Function& kernel_;
  Layout layout_;
  std::vector<bool> read_;
  std::map<std::uint32_t, std::size_t> uses_;  ///< occurrences in operands, by register
};

}  // namespace

std::vector<bool> read_parameter_bytes(const ptx::Function& kernel) { return Use(kernel).take(); }

}  // namespace vgpu::exec
