#include "vgpu/races/block_order.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace vgpu {

BlockOrder::Node BlockOrder::add(std::uint64_t block, Node before, Node also_before, std::uint32_t warps) {
  assert(before < nodes_.size() && also_before < nodes_.size());  // the graph has no cycles
  nodes_.push_back({block, {before, also_before}, warps});
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
      fence(block, place, event.warp);
      return;
    case Synchronisation::Kind::meet:
      meet(block, place);
      return;
    case Synchronisation::Kind::observe:
      if (has_news(block, event.address)) place.seen[event.address] = released_.at(event.address);
      return;
    case Synchronisation::Kind::acquire:
      if (const auto seen = place.seen.find(event.address); seen != place.seen.end())
        now_[block] = add(block, current, seen->second);
      return;
    case Synchronisation::Kind::release:
      if (place.fenced != 0) release(block, place, event);
      return;
  }
}

void BlockOrder::fence(std::uint64_t block, Place& place, unsigned warp) {
  const Node current = now_[block];
  place.fenced = current;
  if (warp != Synchronisation::kAnyWarp) {
    if (warp >= place.covered.size()) place.covered.resize(warp + 1);
    Node& covered = place.covered[warp];
    const Node earlier = covered != 0 ? covered : place.shared;
    const Node met = place.met != 0 ? add(block, place.met, earlier) : earlier;
    covered = add(block, current, met, 1U << warp);
  } else {
    place.shared = add(block, current, place.shared);
    for (Node& covered : place.covered)
      if (covered != 0) covered = add(block, covered, place.shared);
  }
  now_[block] = add(block, current, 0);
}

/// What any warp's fences cover is ordered before all warps' releases from now on.
void BlockOrder::meet(std::uint64_t block, Place& place) {
  for (Node& covered : place.covered)
    if (covered != 0) place.shared = add(block, std::exchange(covered, 0), place.shared);
  place.met = now_[block];
  now_[block] = add(block, place.met, 0);
}

void BlockOrder::release(std::uint64_t block, const Place& place, const Synchronisation& event) {
  Node published = place.fenced;
  if (event.warp != Synchronisation::kAnyWarp) {
    const bool has_fenced = event.warp < place.covered.size() && place.covered[event.warp] != 0;
    published = has_fenced ? place.covered[event.warp] : place.shared;
  }
  // Earlier publications at the address stay published: later writes continue the chain.
  Node& chain = released_[event.address];
  chain = add(block, chain, published);
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

bool BlockOrder::is_before(Node earlier, unsigned warp, Node later) {
  // Edges lead to lower numbers. A search from `later` marks all earlier stretches; the marks are kept,
  // because the runs of one stretch need them one after another.
  if (earlier >= later) return earlier == later;
  if (reached_from_ != later) {
    reached_from_ = later;
    reached_.assign(nodes_.size(), 0);
    std::vector<std::pair<Node, std::uint32_t>> open{{later, kAllWarps}};
    while (!open.empty()) {
      const auto [node, warps] = open.back();
      open.pop_back();
      const Entry& entry = nodes_[node];
      const std::uint32_t through[] = {warps & entry.warps, kAllWarps};
      for (unsigned edge = 0; edge < 2; ++edge) {
        const Node before = entry.before[edge];
        if (before == 0 || (through[edge] & ~reached_[before]) == 0) continue;
        reached_[before] |= through[edge];
        open.emplace_back(before, through[edge]);
      }
    }
  }
  return (reached_[earlier] >> warp & 1U) != 0;
}

}  // namespace vgpu
