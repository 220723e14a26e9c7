#include "vgpu/races/block_order.hpp"

#include <algorithm>
#include <cassert>

namespace vgpu {

BlockOrder::Node BlockOrder::add(std::uint64_t block, Node before, Node also_before) {
  assert(before < nodes_.size() && also_before < nodes_.size());  // the graph has no cycles
  nodes_.push_back({block, {before, also_before}});
  return static_cast<Node>(nodes_.size() - 1);
}

BlockOrder::Node BlockOrder::now(std::uint64_t block) {
  if (block >= now_.size()) now_.resize(std::max<std::size_t>(block + 1, 2 * now_.size()));
  if (now_[block] == 0) now_[block] = add(block, 0, 0);
  return now_[block];
}

void BlockOrder::pass(std::uint64_t block, const Synchronisation& event) {
  const Node current = now(block);
  Place& place = places_[block];
  switch (event.kind) {
    case Synchronisation::Kind::fence:
      place.fenced = current;
      now_[block] = add(block, current, 0);
      return;
    case Synchronisation::Kind::observe:
      if (has_news(block, event.address)) place.seen[event.address] = released_.at(event.address);
      return;
    case Synchronisation::Kind::acquire:
      if (const auto seen = place.seen.find(event.address); seen != place.seen.end())
        now_[block] = add(block, current, seen->second);
      return;
    case Synchronisation::Kind::release:
      if (place.fenced == 0) return;
      // Earlier publications at the address stay published: later writes continue the chain.
      Node& chain = released_[event.address];
      chain = add(block, chain, place.fenced);
      return;
  }
}

bool BlockOrder::has_news(std::uint64_t block, std::uint64_t address) const {
  const auto published = released_.find(address);
  if (published == released_.end()) return false;
  const auto place = places_.find(block);
  if (place == places_.end()) return true;
  const auto seen = place->second.seen.find(address);
  return seen == place->second.seen.end() || seen->second != published->second;
}

bool BlockOrder::has_seen_atomic(std::uint64_t block, std::uint64_t address, Node atomic) const {
  const auto place = places_.find(block);
  if (place == places_.end()) return false;
  const auto seen = place->second.seen.find(address);
  if (seen == place->second.seen.end()) return false;
  for (Node publication = seen->second; publication > atomic; publication = nodes_[publication].before[0])
    if (nodes_[publication].block == nodes_[atomic].block) return true;
  return false;
}

bool BlockOrder::is_before(Node earlier, Node later) {
  // Edges lead to lower numbers. A search from `later` marks all earlier stretches; the marks are kept,
  // because the runs of one stretch need them one after another.
  if (earlier >= later) return earlier == later;
  if (reached_from_ != later) {
    reached_from_ = later;
    reached_.assign(nodes_.size(), false);
    std::vector<Node> open{later};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      for (const Node before : nodes_[node].before) {
        if (before == 0 || reached_[before]) continue;
        reached_[before] = true;
        open.push_back(before);
      }
    }
  }
  return reached_[earlier];
}

}  // namespace vgpu
