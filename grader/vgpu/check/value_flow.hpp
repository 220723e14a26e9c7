// Follows values that mean nothing (of unwritten memory, of a shuffle from a lane that does not take part)
// through the registers of a block, and finds out whether they can change a result: whether one reaches
// memory, an address or a branch. Active only in a block that has read such a value, from then on; the block
// then runs its instructions in a slower loop (run/block.cpp).
//
// A result of arithmetic means nothing if an operand does; a selection has the meaning of what it selects.
// Every other use counts: a fence around what the program could observe, not a proof. Covered by
// tests/vgpu/value_flow_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

class ValueFlow {
 public:
  /// The origin of values that mean nothing; 0: the value is ordinary.
  using Label = std::uint16_t;

  explicit ValueFlow(const CheckedSites& sites) : sites_(sites) {}

  void begin_block();
  Label add_label();
  /// The register has values of this origin in these lanes.
  void mark(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, Label label);
  /// The instruction is about to run.
  void step(const Warp& warp, const Decoded& d);
  /// A shuffle: lane i of `to` has the value of lane source[i] of `from`.
  void shuffle(const Warp& warp, std::uint32_t to, std::uint32_t from,
               const std::array<int, kWarpLanes>& source);
  /// Whether a value of this origin can have changed a result.
  bool is_used(Label label) const { return is_used_[root(label)]; }

 private:
  using Labels = std::array<Label, kWarpLanes>;

  static std::uint64_t key_of(const Warp& warp, std::uint32_t reg) {
    return std::uint64_t{warp.index} << 32U | reg;
  }
  const Labels* find(const Warp& warp, std::uint32_t reg) const;
  void put(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, const Labels& labels);
  void use(const Warp& warp, std::uint32_t reg, std::uint32_t lanes);
  Label merged(Label a, Label b);
  Label root(Label label) const;
  Labels selected(const Warp& warp, const std::uint32_t* reads);

  const CheckedSites& sites_;
  std::unordered_map<std::uint64_t, Labels> marks_;  ///< by warp and register; only registers with a label
  std::vector<Label> same_;    ///< by label: an older one whose values were combined with its own, or itself
  std::vector<bool> is_used_;  ///< by label; meaningful for roots
};

}  // namespace vgpu::exec
