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
#include <bitset>
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
    Label label;
    bool is_computed;    ///< not only moved
    bool is_filled;      ///< the bits next to them do not come from memory
    std::uint64_t bits;  ///< those that mean nothing; 0: the value is ordinary
  };
  /// What a register holds in all lanes. Most registers are ordinary in most lanes: only those in `lanes`
  /// have an element, so that the others cost nothing.
  struct Marks {
    std::uint32_t lanes = 0;
    std::array<Mark, kWarpLanes> marked;  // not initialised: half a KiB

    Marks() {}  // NOLINT(modernize-use-equals-default): would make Marks{} fill it with zeros
    Mark of(unsigned lane) const { return (lanes >> lane & 1U) != 0 ? marked[lane] : Mark{}; }
    void set(unsigned lane, const Mark& mark);
  };

  static std::uint64_t key_of(const Warp& warp, std::uint32_t reg) {
    return std::uint64_t{warp.index} << 32U | reg;
  }
  /// Registers are 128 bytes apart or more, predicates 4.
  static std::size_t filter_bit(std::uint64_t key) { return (key ^ key >> 6U ^ key >> 30U) % kFilterBits; }
  const Marks* find(const Warp& warp, std::uint32_t reg) const;
  void put(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, const Marks& marks);
  void use(const Warp& warp, std::uint32_t reg, std::uint32_t lanes);
  void use(const Mark& mark) { is_used_[root(mark.label)] = is_used_[root(mark.label)] || mark.bits != 0; }
  /// Whether an element in memory that gets these bits of the value is a copy that does not use it.
  bool is_copy(const Mark& mark, std::uint64_t bits, std::uint32_t size) const;
  /// Whether the value is followed further from shared or local memory, although it is no copy.
  bool is_result_to_follow(const Mark& mark, std::uint64_t address) const;
  Label merged(Label a, Label b);
  Mark merged(const Mark& a, const Mark& b);
  Label root(Label label) const;
  Marks computed(const Warp& warp, const Decoded& d, const FlowStep& step, const std::uint32_t* reads,
                 std::uint32_t lanes);
  Marks packed(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void unpack(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  Marks selected(const Warp& warp, const std::uint32_t* reads, std::uint32_t lanes);

  // Memory (value_flow_memory.cpp).
  void load(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void store(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void store_element(std::uint64_t address, std::uint32_t size, const Mark& mark);
  void move_untracked(const Warp& warp, const FlowStep& step, std::uint32_t lanes);
  Mark loaded(std::uint64_t address, std::uint32_t size);

  const CheckedSites& sites_;
  std::unordered_map<std::uint64_t, Marks> marks_;  ///< by warp and register; only registers with a label
  static constexpr std::size_t kFilterBits = 4096;
  std::bitset<kFilterBits> filter_;  ///< has filter_bit() of each key in marks_, and of some others
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
