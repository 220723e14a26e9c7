// The happens-before relation between the blocks of a launch. A graph whose nodes are stretches of a block's
// run between fences and reads of published values; edges lead to earlier stretches.
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
  bool is_before(Node earlier, Node later);
  /// Whether the block has observed, at this address, the value that the stretch `atomic` published with an
  /// atomic: then that atomic is ordered before the block's later accesses to the address. (is_before() does
  /// not cover this, because a stretch ends with the fence, before the atomic.)
  bool has_seen_atomic(std::uint64_t block, std::uint64_t address, Node atomic) const;

 private:
  struct Entry {
    std::uint64_t block;
    Node before[2];  ///< publications: the previous one at the address, and the fenced stretch
  };
  /// Of a block that has synchronised with others.
  struct Place {
    Node fenced = 0;  ///< the last stretch that a fence ended
    std::unordered_map<std::uint64_t, Node>
        seen;  ///< by address: the last publication that the block observed
  };

  Node add(std::uint64_t block, Node before, Node also_before);

  std::vector<Entry> nodes_{Entry{}};
  std::vector<Node> now_;                             ///< by block; 0: the block has none yet
  std::unordered_map<std::uint64_t, Place> places_;   ///< by block
  std::unordered_map<std::uint64_t, Node> released_;  ///< by address
  Node reached_from_ = 0;                             ///< the node for which `reached_` was computed
  std::vector<bool> reached_;
};

}  // namespace vgpu
