#include "vgpu/races/block_order.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace vgpu {

namespace {

std::uint64_t key_of(std::uint64_t block, unsigned warp) {
  constexpr std::uint64_t kWarps = 32;
  return block * kWarps + warp;
}

}  // namespace

BlockOrder::Node BlockOrder::begin_stretch(std::uint64_t block, Past past) {
  stretches_.push_back({block, past});
  return static_cast<Node>(stretches_.size() - 1);
}

BlockOrder::Past BlockOrder::add(const PastEntry& entry) {
  assert(entry.before[0] < pasts_.size() && entry.before[1] < pasts_.size());  // the graph has no cycles
  pasts_.push_back(entry);
  pasts_.back().newest = static_cast<Node>(stretches_.size() - 1);
  return static_cast<Past>(pasts_.size() - 1);
}

BlockOrder::Node BlockOrder::now(std::uint64_t block) {
  if (block >= now_.size()) now_.resize(std::max<std::size_t>(block + 1, 2 * now_.size()));
  if (now_[block] == 0) now_[block] = begin_stretch(block, 0);
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
        now_[block] =
            begin_stretch(block, add({.block = block, .before = {stretches_[current].past, seen->second}}));
      return;
    case Synchronisation::Kind::release:
      if (place.fenced != 0) release(block, place, event);
      return;
  }
}

void BlockOrder::fence(std::uint64_t block, Place& place, unsigned warp) {
  const Node current = now_[block];
  const Past past = stretches_[current].past;
  place.fenced = current;
  if (warp != Synchronisation::kAnyWarp) {
    if (warp >= place.covered.size()) place.covered.resize(warp + 1);
    Past& covered = place.covered[warp];
    covered = add({.block = block,
                   .met = place.met,
                   .fenced = current,
                   .fencing_warp = warp,
                   .before = {covered != 0 ? covered : place.shared, past}});
  } else {
    place.shared = add({.block = block, .met = current, .before = {place.shared, past}});
    for (Past& covered : place.covered)
      if (covered != 0) covered = add({.block = block, .before = {covered, place.shared}});
  }
  now_[block] = begin_stretch(block, past);
}

/// What any warp's fences cover is ordered before all warps' releases from now on.
void BlockOrder::meet(std::uint64_t block, Place& place) {
  for (Past& covered : place.covered)
    if (covered != 0)
      place.shared = add({.block = block, .before = {std::exchange(covered, 0), place.shared}});
  place.met = now_[block];
  now_[block] = begin_stretch(block, stretches_[place.met].past);
}

void BlockOrder::release(std::uint64_t block, const Place& place, const Synchronisation& event) {
  // Earlier publications at the address stay published: later writes continue the chain.
  Past& chain = released_[event.address];
  if (event.warp == Synchronisation::kAnyWarp) {
    const Past past = stretches_[place.fenced].past;
    chain = add({.block = block, .met = place.fenced, .before = {chain, past}});
  } else {
    const bool has_fenced = event.warp < place.covered.size() && place.covered[event.warp] != 0;
    const Past published = has_fenced ? place.covered[event.warp] : place.shared;
    chain = add({.block = block, .before = {chain, published}});
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
  const PastEntry* publication = &pasts_[seen->second];
  for (; publication->newest >= atomic; publication = &pasts_[publication->before[0]])
    if (publication->block == stretches_[atomic].block) return true;
  return false;
}

bool BlockOrder::is_before(Node earlier, unsigned warp, Node later) {
  const Past past = stretches_[later].past;
  if (past == 0) return false;
  if (reached_.by != past) search(past);
  const std::uint64_t block = block_of(earlier);
  if (block < reached_.by_block.size() && earlier <= reached_.by_block[block]) return true;
  const auto further = reached_.by_block_and_warp.find(key_of(block, warp));
  return further != reached_.by_block_and_warp.end() && earlier <= further->second;
}

void BlockOrder::search(Past past) {
  reached_ = {past, std::vector<bool>(pasts_.size()), std::vector<Node>(now_.size()), {}};
  std::vector<Past> open{past};
  while (!open.empty()) {
    const PastEntry& entry = pasts_[open.back()];
    open.pop_back();
    Node& met = reached_.by_block[entry.block];
    met = std::max(met, entry.met);
    if (entry.fenced > met) {
      Node& fenced = reached_.by_block_and_warp[key_of(entry.block, entry.fencing_warp)];
      fenced = std::max(fenced, entry.fenced);
    }
    for (const Past before : entry.before) {
      if (before == 0 || reached_.entries[before]) continue;
      reached_.entries[before] = true;
      open.push_back(before);
    }
  }
}

}  // namespace vgpu
