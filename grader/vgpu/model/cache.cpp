#include "vgpu/model/cache.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace vgpu {
namespace {

constexpr std::size_t kWays = 16;  // lines per set, in caches of at least 16 lines

}  // namespace

SectorCache::SectorCache(std::size_t bytes) {
  const std::size_t lines = std::max<std::size_t>(bytes / kCacheLineBytes, 1);
  ways_ = std::min(lines, kWays);
  sets_ = lines / ways_;
  entries_.resize(ways_ * sets_);
}

void SectorCache::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  evicted_dirty_sectors_ = 0;
}

unsigned SectorCache::read(std::uint64_t line, unsigned sectors) {
  assert((sectors & ~kAllSectors) == 0);
  Entry& entry = find_or_replace(line);
  const unsigned found = entry.valid & sectors;
  entry.valid = static_cast<std::uint8_t>(entry.valid | sectors);
  return found;
}

unsigned SectorCache::write(std::uint64_t line, unsigned sectors) {
  assert((sectors & ~kAllSectors) == 0);
  Entry& entry = find_or_replace(line);
  const unsigned found = entry.valid & sectors;
  entry.valid = static_cast<std::uint8_t>(entry.valid | sectors);
  entry.dirty = static_cast<std::uint8_t>(entry.dirty | sectors);
  return found;
}

void SectorCache::update(std::uint64_t line, unsigned sectors) {
  if (Entry* entry = find(line)) entry->valid = static_cast<std::uint8_t>(entry->valid | sectors);
}

SectorCache::Entry* SectorCache::set_of(std::uint64_t line) {
  // Each round of `sets_` consecutive lines uses every set once. Rounds start at different sets, about half
  // the cache apart, so that the rows of a matrix whose width is a power of two do not share a few sets.
  // Hardware hashes its index for the same reason.
  const std::uint64_t round = line / sets_;
  const std::uint64_t set = (line % sets_ + round % sets_ * (sets_ / 2 + 1)) % sets_;
  assert(set < sets_ && line != kNoLine);  // kNoLine marks empty entries
  return entries_.data() + set * ways_;
}

SectorCache::Entry* SectorCache::find(std::uint64_t line) {
  Entry* const set = set_of(line);
  Entry* const end = set + ways_;
  Entry* const found = std::find_if(set, end, [&](const Entry& entry) { return entry.line == line; });
  if (found == end) return nullptr;
  // The ways of a set are in the order of their last use, the most recent first.
  std::rotate(set, found, found + 1);
  return set;
}

SectorCache::Entry& SectorCache::find_or_replace(std::uint64_t line) {
  if (Entry* found = find(line)) return *found;
  Entry* const set = set_of(line);
  std::rotate(set, set + ways_ - 1, set + ways_);
  assert((set->dirty & ~set->valid) == 0);  // only write() makes sectors dirty
  evicted_dirty_sectors_ += static_cast<unsigned>(std::popcount(set->dirty));
  *set = {line, 0, 0};
  return *set;
}

}  // namespace vgpu
