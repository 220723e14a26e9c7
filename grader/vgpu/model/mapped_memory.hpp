// How long the host takes to allocate and free device memory. A driver maps memory in blocks: allocations of
// up to half a block share blocks, a larger one has a mapping of its own. Only mapping and unmapping take
// time. Seen on an H200 (times beside the profile's other sources): 0.9 µs for 1 MiB beside another
// allocation of 1 MiB, 30 µs for what is larger, 26 µs to free it. Knows sizes only; not thread safe. Covered
// by tests/model/mapped_memory_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "vgpu/model/profile.hpp"

namespace vgpu {

class MappedMemory {
 public:
  explicit MappedMemory(const Profile& profile)
      : block_bytes_(profile.memory_block_bytes), map_s_(profile.map_s), unmap_s_(profile.unmap_s) {}

  /// Seconds that the host is busy with an allocation at `address`, which is not one already.
  double allocate_s(std::uint64_t address, std::uint64_t bytes);
  /// The same for freeing it; 0 if its block stays mapped or `address` is none of allocate_s.
  double free_s(std::uint64_t address);

 private:
  struct Part {
    std::size_t block = 0;
    std::uint64_t bytes = 0;  ///< of the block
  };

  /// The first mapped block with room, or an empty one.
  std::size_t block_for(std::uint64_t bytes);

  std::uint64_t block_bytes_;  ///< 0: no allocation takes time
  double map_s_, unmap_s_;
  std::vector<std::uint64_t> used_;  ///< bytes of each block, a whole one at most; 0: not mapped
  std::map<std::uint64_t, Part> parts_;
};

}  // namespace vgpu
