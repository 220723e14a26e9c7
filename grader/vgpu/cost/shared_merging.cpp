#include "vgpu/cost/shared_merging.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/cost/known_alignment.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kMaxOpen = 64;  // bases in use at the same time; keeps the time linear

/// A load or store of 4 or 8 bytes that can be merged with others.
struct Access {
  std::uint32_t index = 0;
  std::int64_t offset = 0;
};

/// Accesses with the same key can be merged.
struct Key {
  bool is_store = false;
  std::int64_t base_register = -1;  ///< or the symbol below
  std::string base_symbol;
  std::size_t bytes = 0;

  // clang-tidy 14 mistakes a 0 in the generated code for a pointer.
  friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr)
};

bool touches_shared(const ptx::Instruction& instruction) {
  const ptx::Space space = space_of(instruction);
  // A generic address can point into shared memory.
  return space == ptx::Space::shared || space == ptx::Space::generic;
}

bool is_plain_memory(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::ld || instruction.opcode == ptx::Opcode::st;
}

/// The assembler moves no access across it.
bool is_fence(const ptx::Instruction& instruction) {
  const bool is_volatile = is_plain_memory(instruction) && is_strong(instruction);
  return is_volatile || instruction.traits().orders_accesses;
}

class Merger {
 public:
  Merger(const ptx::Function& function, const ptx::ControlFlow& flow, const Layout& shared)
      : function_(function), shared_(shared), zero_bits_(known_zero_bits(function, shared)) {
    starts_.resize(function.code.size() + 1);
    for (std::uint32_t i = 0; i < function.code.size(); ++i) {
      if (function.code[i].traits().role == ptx::Role::branch) starts_[flow.target[i]] = true;
    }
    for (const auto& list : flow.branch_lists) {
      for (const std::uint32_t target : list) starts_[target] = true;
    }
  }

  std::unordered_map<std::uint32_t, std::uint8_t> run() {
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      if (starts_[i]) merge_all();
      add(i);
    }
    merge_all();
    return std::move(merged_);
  }

 private:
  void add(std::uint32_t index) {
    const ptx::Instruction& instruction = function_.code[index];
    if (is_fence(instruction)) merge_all();
    const std::optional<Key> key = key_of(instruction);
    if (is_plain_memory(instruction) && touches_shared(instruction)) {
      const bool is_store = instruction.opcode == ptx::Opcode::st;
      // Groups with another base can overlap this access: it does not move across a store, and a store not
      // across it.
      merge_where([&](const Key& other) { return key != other && (is_store || other.is_store); });
    }
    if (open_.size() > kMaxOpen) merge_all();
    if (key) open_[*key].push_back({index, address_of(instruction)->offset});
    // After a write to the base register, the same offsets are other addresses.
    for (const std::uint32_t reg : uses_of(instruction).writes)
      merge_where([&](const Key& other) { return other.base_register == static_cast<std::int64_t>(reg); });
  }

  static const ptx::Address* address_of(const ptx::Instruction& instruction) {
    const std::size_t at = instruction.opcode == ptx::Opcode::st ? 0 : 1;
    return at < instruction.operands.size() ? std::get_if<ptx::Address>(&instruction.operands[at].value)
                                            : nullptr;
  }

  static std::optional<Key> key_of(const ptx::Instruction& instruction) {
    // v4 is the widest access, so it cannot be merged.
    const bool fits = is_plain_memory(instruction) && space_of(instruction) == ptx::Space::shared &&
                      !instruction.guard && !is_strong(instruction) && !has_modifier(instruction, "v4");
    const ptx::Address* address = fits ? address_of(instruction) : nullptr;
    if (address == nullptr) return std::nullopt;
    Key key{.is_store = instruction.opcode == ptx::Opcode::st,
            .bytes = size_of(type_of(instruction)) * (has_modifier(instruction, "v2") ? 2 : 1)};
    if (key.bytes != 4 && key.bytes != 8) return std::nullopt;
    if (const auto* reg = std::get_if<ptx::Register>(&address->base)) key.base_register = reg->index;
    if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base)) key.base_symbol = symbol->name;
    return key;
  }

  std::uint8_t zero_bits(const Key& key) const {
    return key.base_register >= 0 ? zero_bits_[static_cast<std::size_t>(key.base_register)]
                                  : zero_bits_of_shared(key.base_symbol, shared_);
  }

  void merge_all() {
    merge_where([](const Key&) { return true; });
  }
  template <class Matches>
  void merge_where(Matches matches) {
    for (auto group = open_.begin(); group != open_.end();) {
      if (!matches(group->first)) {
        ++group;
        continue;
      }
      // The widest first: accesses that remain can still form pairs.
      for (const std::size_t bytes : {std::size_t{16}, std::size_t{8}})
        merge(group->first, group->second, bytes);
      group = open_.erase(group);
    }
  }

  /// Removes from the group the accesses that become accesses of `bytes`.
  void merge(const Key& key, std::vector<Access>& group, std::size_t bytes) {
    // The wide access must be aligned; the base is a multiple of 2^zero_bits().
    if (bytes <= key.bytes || (std::size_t{1} << std::min<unsigned>(zero_bits(key), 16U)) < bytes) return;
    std::map<std::int64_t, std::uint32_t> at;
    for (const Access& access : group) at.emplace(access.offset, access.index);
    const auto size = static_cast<std::int64_t>(key.bytes);
    const auto wide = static_cast<std::int64_t>(bytes);
    for (const auto& [offset, index] : at) {
      if (offset % wide != 0) continue;
      bool complete = true;
      for (std::int64_t next = size; next < wide; next += size) complete &= at.contains(offset + next);
      if (!complete) continue;
      merged_[index] = static_cast<std::uint8_t>(bytes);
      for (std::int64_t next = size; next < wide; next += size) merged_[at.at(offset + next)] = 0;
    }
    std::erase_if(group, [&](const Access& access) { return merged_.contains(access.index); });
  }

  const ptx::Function& function_;
  const Layout& shared_;
  std::vector<std::uint8_t> zero_bits_;
  std::vector<bool> starts_;  ///< by instruction: true where a basic block begins
  std::map<Key, std::vector<Access>> open_;
  std::unordered_map<std::uint32_t, std::uint8_t> merged_;
};

}  // namespace

std::unordered_map<std::uint32_t, std::uint8_t> merged_accesses(const ptx::Function& function,
                                                                const ptx::ControlFlow& flow,
                                                                const Layout& shared) {
  return Merger(function, flow, shared).run();
}

}  // namespace vgpu::exec
