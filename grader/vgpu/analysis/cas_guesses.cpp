#include "vgpu/analysis/cas_guesses.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

/// Classes of items that differ from one another by known constants: union-find with weights.
class Differences {
 public:
  struct Place {
    std::uint32_t root = 0;    ///< the same for the whole class
    std::uint64_t offset = 0;  ///< from the root
  };

  explicit Differences(std::size_t items) : parent_(items), offset_(items) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  Place find(std::uint32_t item) {
    std::uint64_t offset = 0;
    while (parent_[item] != item) {
      // Path halving: each item that is visited is linked to its grandparent.
      offset_[item] += offset_[parent_[item]];
      parent_[item] = parent_[parent_[item]];
      offset += offset_[item];
      item = parent_[item];
    }
    return {item, offset};
  }

  /// Records that `item` is `other` + `offset`, unless both are in one class already: the registers of a loop
  /// take other values in later iterations.
  void relate(std::uint32_t item, std::uint32_t other, std::uint64_t offset) {
    const Place from = find(item), to = find(other);
    if (from.root == to.root) return;
    parent_[from.root] = to.root;
    offset_[from.root] = to.offset + offset - from.offset;
  }

 private:
  std::vector<std::uint32_t> parent_;  ///< a root is its own parent
  std::vector<std::uint64_t> offset_;  ///< offset from the parent; 0 for a root
};

template <class T>
const T* operand(const ptx::Instruction& instruction, std::size_t index) {
  return index < instruction.operands.size() ? std::get_if<T>(&instruction.operands[index].value) : nullptr;
}

bool is_cas(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::atom && has_modifier(instruction, "cas");
}

class Search {
 public:
  explicit Search(const ptx::Function& function)
      : function_(function), values_(number_symbols()), addresses_(values_) {}

  std::vector<bool> run() {
    for (const ptx::Instruction& instruction : function_.code) follow(instruction);
    for (const ptx::Instruction& instruction : function_.code) {
      if (is_cas(instruction)) note_comparison(instruction);
    }
    std::vector<bool> guesses;
    for (const ptx::Instruction& instruction : function_.code) guesses.push_back(is_guess(instruction));
    return guesses;
  }

 private:
  /// The class of a compared value, the class of its address, and the offset.
  using Compared = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;

  /// Returns the number of items: registers, then symbols.
  std::size_t number_symbols() {
    auto next = static_cast<std::uint32_t>(function_.registers.size());
    const auto number = [&](const std::string& name) { next += symbols_.emplace(name, next).second ? 1 : 0; };
    for (const ptx::Instruction& instruction : function_.code) {
      for (const ptx::Operand& operand : instruction.operands) {
        if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) number(symbol->name);
        const auto* address = std::get_if<ptx::Address>(&operand.value);
        const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Symbol>(&address->base);
        if (base != nullptr) number(base->name);
      }
    }
    return next;
  }

  /// Records that both have the same value.
  void join(std::uint32_t item, std::uint32_t other) {
    values_.relate(item, other, 0);
    addresses_.relate(item, other, 0);
  }

  void follow(const ptx::Instruction& instruction) {
    if (instruction.traits().moves_bytes) {
      follow_copy(instruction);
    } else if (has_modifier(instruction, "param")) {
      follow_parameter(instruction);
    } else if (instruction.opcode == ptx::Opcode::add) {
      const auto* sum = operand<ptx::Register>(instruction, 0);
      const auto* base = operand<ptx::Register>(instruction, 1);
      const auto* offset = operand<ptx::Immediate>(instruction, 2);
      if (sum != nullptr && base != nullptr && offset != nullptr)
        addresses_.relate(sum->index, base->index, offset->bits);
    }
  }

  void follow_copy(const ptx::Instruction& instruction) {
    const Uses uses = uses_of(instruction);
    if (uses.writes.empty()) return;
    const std::uint32_t result = uses.writes.front();
    const auto join_with_result = [&](std::uint32_t reg) {
      const bool is_condition = function_.registers[reg].type == ptx::Type::pred;
      if (!is_condition) join(reg, result);
    };
    std::for_each(uses.reads.begin(), uses.reads.end(), join_with_result);
    std::for_each(uses.writes.begin(), uses.writes.end(), join_with_result);
    if (const auto* symbol = operand<ptx::Symbol>(instruction, 1)) join(result, symbols_.at(symbol->name));
  }

  /// Follows values passed to functions; code for debuggers calls a function for atomicCAS, too. The callee's
  /// code has replaced the calls, but the .param variables remain.
  void follow_parameter(const ptx::Instruction& instruction) {
    const bool is_load = instruction.opcode == ptx::Opcode::ld;
    const auto* value = operand<ptx::Register>(instruction, is_load ? 0 : 1);
    const auto* address = operand<ptx::Address>(instruction, is_load ? 1 : 0);
    if (value == nullptr || address == nullptr || address->offset != 0) return;
    if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base))
      join(value->index, symbols_.at(symbol->name));
  }

  std::optional<Differences::Place> place_of(const ptx::Address* address) {
    if (address == nullptr) return std::nullopt;
    const auto* reg = std::get_if<ptx::Register>(&address->base);
    const auto* symbol = std::get_if<ptx::Symbol>(&address->base);
    if (reg == nullptr && symbol == nullptr) return std::nullopt;
    Differences::Place place = addresses_.find(reg != nullptr ? reg->index : symbols_.at(symbol->name));
    place.offset += static_cast<std::uint64_t>(address->offset);
    return place;
  }

  void note_comparison(const ptx::Instruction& instruction) {
    const auto place = place_of(operand<ptx::Address>(instruction, 1));
    const auto* value = operand<ptx::Register>(instruction, 2);
    if (!place || value == nullptr) return;
    const Compared key{values_.find(value->index).root, place->root,
                       static_cast<std::int64_t>(place->offset)};
    std::uint64_t& bytes = compared_[key];
    bytes = std::max<std::uint64_t>(bytes, size_of(type_of(instruction)));
  }

  bool is_guess(const ptx::Instruction& instruction) {
    if (compared_.empty() || instruction.opcode != ptx::Opcode::ld || has_modifier(instruction, "nc"))
      return false;
    auto place = place_of(operand<ptx::Address>(instruction, 1));
    if (!place) return false;
    if (const auto* value = operand<ptx::Register>(instruction, 0)) return is_compared(*value, *place);
    const auto* vector = operand<ptx::Vector>(instruction, 0);
    if (vector == nullptr) return false;
    for (const ptx::Operand& element : vector->elements) {
      const auto* value = std::get_if<ptx::Register>(&element.value);
      if (value != nullptr && is_compared(*value, *place)) return true;
      place->offset += size_of(type_of(instruction));
    }
    return false;
  }

  /// True if an atom.cas at `place` can compare with `value`, or with a larger value that contains it.
  bool is_compared(const ptx::Register& value, const Differences::Place& place) {
    const auto offset = static_cast<std::int64_t>(place.offset);
    const std::uint32_t root = values_.find(value.index).root;
    // The last compared word that starts at the place or before it.
    auto found = compared_.upper_bound({root, place.root, offset});
    if (found == compared_.begin()) return false;
    --found;
    const auto [value_root, place_root, start] = found->first;
    return value_root == root && place_root == place.root &&
           place.offset - static_cast<std::uint64_t>(start) < found->second;
  }

  const ptx::Function& function_;
  std::map<std::string_view, std::uint32_t>
      symbols_;  ///< item numbers; declared before the members whose size they determine
  Differences values_, addresses_;
  std::map<Compared, std::uint64_t> compared_;  ///< size of the compared word in bytes
};

}  // namespace

std::vector<bool> cas_guesses(const ptx::Function& function) {
  const bool has_cas = std::any_of(function.code.begin(), function.code.end(), is_cas);
  return has_cas ? Search(function).run() : std::vector<bool>(function.code.size());
}

}  // namespace vgpu::exec
