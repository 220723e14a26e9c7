// Finds races between blocks (global_races.hpp) in several parts of memory, so that several threads can do it
// at the same time, each in parts of its own. What is found does not depend on the number of parts. Covered
// by tests/vgpu/race_parts_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/races/global_races.hpp"
#include "vgpu/state/memory_part.hpp"

namespace vgpu {

/// The races of a block that two instructions have with one another.
struct FoundRaces {
  Race first;  ///< by its place
  std::uint64_t count = 0, harmful = 0;
};

class RaceParts {
 public:
  RaceParts(std::uint32_t granule_bytes, unsigned count);

  std::size_t count() const { return parts_.size(); }
  const MemoryPart& part(std::size_t index) const { return parts_[index].races.part(); }
  /// As GlobalRaces::set_read_only().
  void set_read_only(const std::vector<bool>& sites);
  /// Adds the parts that have to search a block's log; the others can skip it.
  void add_parts(PartSet& parts, const BlockLog& log) const;
  /// Searches a part. Blocks arrive in order, in each part; different threads can search different parts.
  void add(std::size_t part, std::uint64_t block, const BlockLog& log, const GlobalRaces::Changes& changes);
  /// The block's races in the order in which a single part would have found them. Called for each block, in
  /// order, after all parts have been searched.
  std::vector<FoundRaces> take(std::uint64_t block);

  bool has_news(std::uint64_t block, std::uint64_t address) const {
    return parts_.front().races.has_news(block, address);  // each part has all synchronisations
  }
  bool is_incomplete() const;
  /// Whether there are races that take() has not returned yet.
  bool has_found() const;
  /// Frees the memory that a part needs for the search, after the last one. Different threads can free
  /// different parts.
  void release(std::size_t part) { parts_[part].races.release(); }

 private:
  struct Part {
    GlobalRaces races;
    std::vector<FoundRaces> found;  ///< in the order of the blocks
    std::size_t taken = 0;          ///< the first ones of `found`
    std::unordered_map<std::uint64_t, std::size_t>
        known;  ///< of the last block: by sites, index into `found`
  };

  std::uint32_t granule_bytes_;
  std::vector<Part> parts_;
};

}  // namespace vgpu
