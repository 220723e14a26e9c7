// Follows values that mean nothing (of unwritten memory, of a shuffle from a lane that does not take part)
// through the registers of a block, and finds out whether they can change a result: whether one reaches
// memory, an address or a branch. Active only in a block that has read such a value, from then on; the block
// then runs its instructions in a slower loop (run/block.cpp).
//
// Values are followed bit by bit (value_bits.hpp): a word of which only one byte is unwritten is used if this
// byte is. A copy of such a word, as of a structure with padding, changes no result: its unwritten bits are
// followed through memory. All other uses count: a fence around what the program could observe, not a proof.
// Covered by tests/vgpu/value_flow_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/check/value_bits.hpp"
#include "vgpu/state/access.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

class ValueFlow {
 public:
  /// The origin of values that mean nothing; 0: the value is ordinary.
  using Label = std::uint16_t;

  explicit ValueFlow(const CheckedSites& sites) : sites_(sites) {}

  void begin_block();
  /// How values of an origin can be copied to memory without being used.
  struct Copying {
    bool is_allowed = false;          ///< false: only next to bits that mean something, in the same element
    std::uint32_t element_bytes = 4;  ///< a wider store of a part of a word is no copy
    /// Results computed from such values are followed through shared memory, too: a reduction can store the
    /// sum of a warp without elements, which no thread reads.
    bool follows_results = false;
  };
  Label add_label(const Copying& copying);
  /// These bits of the register mean nothing in these lanes, in addition to those that are marked already.
  void mark(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, Label label,
            std::uint64_t bits = ~std::uint64_t{0});
  /// The instruction is about to run.
  void step(const Warp& warp, const Decoded& d);
  /// A shuffle: lane i of `to` has the value of lane source[i] of `from`, but for the lanes in `absent`.
  void shuffle(const Warp& warp, std::uint32_t to, std::uint32_t from,
               const std::array<int, kWarpLanes>& source, std::uint32_t absent);
  /// Whether a value of this origin can have changed a result.
  bool is_used(Label label) const { return is_used_[root(label)]; }

  bool has_copies() const { return !copies_.empty(); }
  /// Something else than a step has stored these bytes. Shared memory: generic addresses.
  void forget_memory(std::uint64_t address, std::uint64_t size);
  /// The bytes of global memory of which no bit means anything, because they hold copies. Forgets all copies
  /// in global memory.
  std::vector<std::uint64_t> take_copies();

 private:
  /// What a register holds in one lane.
  struct Mark {
    Label label = 0;
    bool is_computed = false;  ///< not only moved
    std::uint64_t bits = 0;    ///< those that mean nothing; 0: the value is ordinary

    friend bool operator==(const Mark&, const Mark&) = default;
  };
  using Marks = std::array<Mark, kWarpLanes>;

  static std::uint64_t key_of(const Warp& warp, std::uint32_t reg) {
    return std::uint64_t{warp.index} << 32U | reg;
  }
  const Marks* find(const Warp& warp, std::uint32_t reg) const;
  void put(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, const Marks& marks);
  void use(const Warp& warp, std::uint32_t reg, std::uint32_t lanes);
  void use(const Mark& mark) { is_used_[root(mark.label)] = is_used_[root(mark.label)] || mark.bits != 0; }
  /// Whether an element in memory that gets these bits of the value is a copy that does not use it.
  bool is_copy(const Mark& mark, std::uint64_t bits, std::uint32_t size) const;
  /// Whether the value is followed further from shared memory, although it is no copy.
  bool is_result_to_follow(const Mark& mark, std::uint64_t address) const;
  Label merged(Label a, Label b);
  Mark merged(const Mark& a, const Mark& b);
  Label root(Label label) const;
  Marks computed(const Warp& warp, const Decoded& d, const FlowStep& step, const std::uint32_t* reads);
  Marks packed(const Warp& warp, const Decoded& d, const FlowStep& step);
  void unpack(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  Marks selected(const Warp& warp, const std::uint32_t* reads);

  // Memory (value_flow_memory.cpp).
  void load(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void store(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void store_element(std::uint64_t address, std::uint32_t size, const Mark& mark);
  void move_untracked(const Warp& warp, const FlowStep& step, std::uint32_t lanes);
  Mark loaded(std::uint64_t address, std::uint32_t size);

  const CheckedSites& sites_;
  std::unordered_map<std::uint64_t, Marks> marks_;  ///< by warp and register; only registers with a label
  struct Copy {
    Label label = 0;
    std::uint8_t bits = 0;
  };
  std::unordered_map<std::uint64_t, Copy> copies_;  ///< bytes of memory, by generic address
  std::vector<Label> same_;    ///< by label: an older one whose values were combined with its own, or itself
  std::vector<bool> is_used_;  ///< by label; meaningful for roots
  std::vector<Copying> copying_;  ///< by label; meaningful for roots
};

}  // namespace vgpu::exec
