#include "vgpu/analysis/store_targets.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <string>
#include <utility>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kWordBytes = 8;  // of an address
constexpr std::size_t kMostWords = 512;
constexpr std::size_t kMostRegisters = std::size_t{1} << 15U;  // so that the search takes little memory

/// What a value can depend on.
struct Sources {
  std::bitset<kMostWords> words;  ///< of the parameters
  bool is_from_memory = false;    ///< as a whole: it can be an address that is stored there
  bool has_half = false;          ///< at most 32 bits are from memory: two halves can be an address

  void add(const Sources& other) {
    words |= other.words;
    is_from_memory |= other.is_from_memory;
    has_half |= other.has_half;
  }
  friend bool operator==(const Sources&, const Sources&) = default;
};

bool is_store(const ptx::Instruction& instruction) {
  switch (instruction.traits().access) {
    case ptx::Access::store:
    case ptx::Access::atomic:
    case ptx::Access::reduction:
    case ptx::Access::matrix_store:
      return true;
    default:
      return instruction.opcode == ptx::Opcode::wmma && has_modifier(instruction, "store");
  }
}

bool reads_memory(const ptx::Instruction& instruction) {
  switch (instruction.traits().access) {
    case ptx::Access::load:
    case ptx::Access::atomic:
    case ptx::Access::texture_fetch:
    case ptx::Access::surface_load:
    case ptx::Access::matrix_load:
      return true;
    default:
      return instruction.opcode == ptx::Opcode::wmma && has_modifier(instruction, "load");
  }
}

/// A multiple of a value is an offset, not an address.
bool is_multiple(ptx::Opcode opcode) {
  return opcode == ptx::Opcode::mul || opcode == ptx::Opcode::shl || opcode == ptx::Opcode::mul24;
}

class TargetSearch {
 public:
  explicit TargetSearch(const ptx::Function& kernel)
      : kernel_(kernel), layout_(lay_out(kernel.parameters)), of_(kernel.registers.size()) {}

  StoreTargets run() {
    const bool is_small = of_.size() <= kMostRegisters && layout_.bytes <= kMostWords * kWordBytes;
    if (!is_small || std::any_of(kernel_.code.begin(), kernel_.code.end(), stores_elsewhere)) return {};
    for (has_changed_ = true; has_changed_;) {
      has_changed_ = false;
      for (const ptx::Instruction& instruction : kernel_.code) follow(instruction);
    }
    Sources all;
    for (const ptx::Instruction& instruction : kernel_.code) all.add(target_of(instruction));
    StoreTargets targets;
    targets.are_known = !all.is_from_memory;
    targets.words.resize((layout_.bytes + kWordBytes - 1) / kWordBytes);
    for (std::size_t i = 0; i < targets.words.size(); ++i) targets.words[i] = all.words[i];
    return targets;
  }

 private:
  /// Calls of functions other than those of the device that store nothing in global memory, and instructions
  /// whose target is no address.
  static bool stores_elsewhere(const ptx::Instruction& instruction) {
    if (instruction.traits().access == ptx::Access::surface_store) return true;
    if (instruction.traits().role != ptx::Role::call) return false;
    const auto* callee =
        instruction.operands.size() > 1 ? std::get_if<ptx::Symbol>(&instruction.operands[1].value) : nullptr;
    return callee == nullptr || (callee->name != "vprintf" && callee->name != "__assertfail");
  }

  Sources of(const ptx::Operand& operand) const {
    if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) return of_[reg->index];
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) return of_variable(symbol->name);
    if (const auto* address = std::get_if<ptx::Address>(&operand.value)) return of(*address);
    Sources all;
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
      for (const ptx::Operand& element : vector->elements) all.add(of(element));
    return all;
  }
  Sources of(const ptx::Address& address) const {
    if (const auto* reg = std::get_if<ptx::Register>(&address.base)) return of_[reg->index];
    const auto* symbol = std::get_if<ptx::Symbol>(&address.base);
    return symbol == nullptr ? Sources{} : of_variable(symbol->name);
  }
  /// A parameter's words, or what was stored in a .param variable.
  Sources of_variable(const std::string& name) const {
    Sources all;
    if (const auto start = layout_.offsets.find(name); start != layout_.offsets.end())
      add_words(all, start->second, layout_.sizes.at(name));
    if (const auto stored = variables_.find(name); stored != variables_.end()) all.add(stored->second);
    return all;
  }
  static void add_words(Sources& sources, std::uint64_t start, std::uint64_t bytes) {
    for (std::uint64_t word = start / kWordBytes; word * kWordBytes < start + bytes && word < kMostWords;
         ++word)
      sources.words.set(word);
  }

  void follow(const ptx::Instruction& instruction) {
    if (space_of(instruction) == ptx::Space::param && instruction.traits().access == ptx::Access::store)
      return follow_argument(instruction);
    const Uses uses = uses_of(instruction);
    if (uses.writes.empty()) return;
    const Sources result = result_of(instruction);
    for (const std::uint32_t written : uses.writes) extend(of_[written], fitting(result, written));
  }
  /// What the register can hold of the value.
  Sources fitting(Sources value, std::uint32_t reg) const {
    const ptx::Type type = kernel_.registers[reg].type;
    if (type == ptx::Type::pred) return {};
    if (size_of(type) < kWordBytes) value.has_half |= std::exchange(value.is_from_memory, false);
    return value;
  }
  void follow_argument(const ptx::Instruction& store) {
    const auto* address = std::get_if<ptx::Address>(&store.operands.at(0).value);
    const auto* symbol = address == nullptr ? nullptr : std::get_if<ptx::Symbol>(&address->base);
    if (symbol != nullptr && store.operands.size() > 1)
      extend(variables_[symbol->name], of(store.operands[1]));
  }
  void extend(Sources& known, const Sources& more) {
    const Sources before = known;
    known.add(more);
    has_changed_ |= !(known == before);
  }

  Sources result_of(const ptx::Instruction& instruction) const {
    if (space_of(instruction) == ptx::Space::param) return loaded_parameter(instruction);
    const std::size_t bytes = size_of(type_of(instruction));
    Sources all;
    if (reads_memory(instruction)) {
      all.is_from_memory = bytes == kWordBytes || bytes == 0;
      all.has_half = !all.is_from_memory;
      return all;
    }
    const bool packs = instruction.opcode == ptx::Opcode::mov && bytes == kWordBytes;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
      Sources one = of(instruction.operands[i]);
      if (packs && std::holds_alternative<ptx::Vector>(instruction.operands[i].value))
        one.is_from_memory |= one.has_half;
      const bool is_factor = instruction.opcode == ptx::Opcode::mad && i < 3;
      if (is_multiple(instruction.opcode) || is_factor) one.is_from_memory = false;
      all.add(one);
    }
    return all;
  }
  Sources loaded_parameter(const ptx::Instruction& load) const {
    if (load.operands.size() < 2) return {};
    const auto* address = std::get_if<ptx::Address>(&load.operands[1].value);
    const auto* symbol = address == nullptr ? nullptr : std::get_if<ptx::Symbol>(&address->base);
    const auto start = symbol == nullptr ? layout_.offsets.end() : layout_.offsets.find(symbol->name);
    if (start == layout_.offsets.end()) return of(load.operands[1]);
    const auto* vector = std::get_if<ptx::Vector>(&load.operands[0].value);
    const std::size_t bytes = size_of(type_of(load));
    const std::uint64_t at = start->second + static_cast<std::uint64_t>(address->offset);
    Sources all;
    add_words(all, at, bytes * (vector == nullptr ? 1 : vector->elements.size()));
    // The value is not found among the aligned words.
    all.is_from_memory = bytes == kWordBytes && at % kWordBytes != 0;
    return all;
  }

  Sources target_of(const ptx::Instruction& instruction) const {
    const ptx::Space space = space_of(instruction);
    const bool is_own =
        space == ptx::Space::shared || space == ptx::Space::local || space == ptx::Space::param;
    if (!is_store(instruction) || is_own) return {};
    for (const ptx::Operand& operand : instruction.operands)
      if (const auto* address = std::get_if<ptx::Address>(&operand.value)) return of(*address);
    Sources unknown;
    unknown.is_from_memory = true;
    return unknown;
  }

  const ptx::Function& kernel_;
  Layout layout_;
  std::vector<Sources> of_;                                ///< by register
  std::map<std::string, Sources, std::less<>> variables_;  ///< .param variables of inlined calls
  bool has_changed_ = false;
};

}  // namespace

StoreTargets store_targets(const ptx::Function& kernel) { return TargetSearch(kernel).run(); }

}  // namespace vgpu::exec
