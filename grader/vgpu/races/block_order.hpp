// The happens-before relation between the blocks of a launch. The run of a block is cut into stretches by
// fences, barriers and reads of published values. A publication orders stretches of its block, and all that
// was ordered before them, before what follows an observation of it. A fence covers its own warp's accesses,
// and those of other warps that a barrier orders before it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/races/block_log.hpp"

namespace vgpu {

class BlockOrder {
 public:
  using Node = std::uint32_t;  ///< a stretch, in the order of their beginnings; 0: none

  /// The block's current stretch.
  Node now(std::uint64_t block);
  std::uint64_t block_of(Node node) const { return stretches_[node].block; }
  void pass(std::uint64_t block, const Synchronisation& event);
  /// Whether a value was published at the address that the block has not observed.
  bool has_news(std::uint64_t block, std::uint64_t address) const;
  /// Of stretches of two blocks; `warp`: of the access in the earlier one.
  bool is_before(Node earlier, unsigned warp, Node later);
  /// Whether the block has observed, at this address, the value that the stretch `atomic` published with an
  /// atomic: then that atomic is ordered before the block's later accesses to the address. (is_before() does
  /// not cover this, because a stretch ends with the fence, before the atomic.)
  bool has_seen_atomic(std::uint64_t block, std::uint64_t address, Node atomic) const;

 private:
  using Past = std::uint32_t;  ///< number of a PastEntry; 0: nothing

  struct Stretch {
    std::uint64_t block = 0;
    Past past = 0;  ///< what its block had acquired from others
  };
  /// What is ordered before an event: accesses of one block, and earlier entries. A graph, because a list of
  /// all blocks in each entry would be quadratic where every block publishes at one address.
  struct PastEntry {
    std::uint64_t block = 0;
    Node met = 0;     ///< the block's accesses to the end of this stretch
    Node fenced = 0;  ///< those of `fencing_warp` to the end of this one
    unsigned fencing_warp = 0;
    Past before[2] = {0, 0};  ///< publications: the previous one at the address first
    Node newest = 0;          ///< the last stretch that had begun
  };
  /// Of a block that has synchronised with others.
  struct Place {
    Node met = 0;                 ///< the last stretch that a barrier of the whole block ended
    Node fenced = 0;              ///< the last stretch that a fence ended
    Past shared = 0;              ///< what fences before that barrier cover: releases of all warps publish it
    std::vector<Past> covered{};  ///< by warp: what its fences since then cover, and `shared`; 0: `shared`
    /// By address: the last publication that the block observed.
    std::unordered_map<std::uint64_t, Past> seen;
  };

  Node begin_stretch(std::uint64_t block, Past past);
  Past add(const PastEntry& entry);
  void fence(std::uint64_t block, Place& place, unsigned warp);
  void meet(std::uint64_t block, Place& place);
  void release(std::uint64_t block, const Place& place, const Synchronisation& event);
  /// Sets reached_.
  void search(Past past);

  std::vector<Stretch> stretches_{Stretch{}};
  std::vector<PastEntry> pasts_{PastEntry{}};
  std::vector<Node> now_;                             ///< by block; 0: the block has none yet
  std::unordered_map<std::uint64_t, Place> places_;   ///< by block
  std::unordered_map<std::uint64_t, Past> released_;  ///< by address

  /// The accesses that are ordered before an event, kept because many questions in turn concern the same one.
  struct Reached {
    Past by = 0;
    std::vector<bool> entries;
    std::vector<Node> by_block;                                 ///< to the end of this stretch
    std::unordered_map<std::uint64_t, Node> by_block_and_warp;  ///< likewise, where one warp's reach further
  };
  Reached reached_;
};

}  // namespace vgpu
