// The happens-before relation between the blocks of a launch. A graph whose nodes are stretches of a block's
// run between fences, barriers and reads of published values; edges lead to earlier stretches. A fence covers
// its own warp's accesses, and those of other warps that a barrier orders before it: edges can be for some
// warps only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/races/block_log.hpp"

namespace vgpu {

class BlockOrder {
 public:
  using Node = std::uint32_t;  ///< 0: none; edges lead to lower numbers only

  /// The block's current stretch.
  Node now(std::uint64_t block);
  std::uint64_t block_of(Node node) const { return nodes_[node].block; }
  void pass(std::uint64_t block, const Synchronisation& event);
  /// Whether a value was published at the address that the block has not observed.
  bool has_news(std::uint64_t block, std::uint64_t address) const;
  /// `warp`: of the access in the earlier stretch.
  bool is_before(Node earlier, unsigned warp, Node later);
  /// Whether the block has observed, at this address, the value that the stretch `atomic` published with an
  /// atomic: then that atomic is ordered before the block's later accesses to the address. (is_before() does
  /// not cover this, because a stretch ends with the fence, before the atomic.)
  bool has_seen_atomic(std::uint64_t block, std::uint64_t address, Node atomic) const;

 private:
  static constexpr std::uint32_t kAllWarps = ~std::uint32_t{0};

  struct Entry {
    std::uint64_t block;
    Node before[2];  ///< publications: the previous one at the address, and what fences cover
    std::uint32_t warps = kAllWarps;  ///< whose accesses the edge to before[0] is for
  };
  /// Of a block that has synchronised with others.
  struct Place {
    Node met = 0;                 ///< the last stretch that a barrier of the whole block ended
    Node fenced = 0;              ///< the last stretch that a fence ended
    Node shared = 0;              ///< what fences before that barrier cover: releases of all warps publish it
    std::vector<Node> covered{};  ///< by warp: what its fences since then cover, and `shared`; 0: `shared`
    std::unordered_map<std::uint64_t, Node>
        seen;  ///< by address: the last publication that the block observed
  };

  Node add(std::uint64_t block, Node before, Node also_before, std::uint32_t warps = kAllWarps);
  void fence(std::uint64_t block, Place& place, unsigned warp);
  void meet(std::uint64_t block, Place& place);
  void release(std::uint64_t block, const Place& place, const Synchronisation& event);

  std::vector<Entry> nodes_{Entry{}};
  std::vector<Node> now_;                             ///< by block; 0: the block has none yet
  std::unordered_map<std::uint64_t, Place> places_;   ///< by block
  std::unordered_map<std::uint64_t, Node> released_;  ///< by address
  Node reached_from_ = 0;                             ///< the node for which `reached_` was computed
  std::vector<std::uint32_t> reached_;                ///< warps whose accesses are ordered before it
};

}  // namespace vgpu
