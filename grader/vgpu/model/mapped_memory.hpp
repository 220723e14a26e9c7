// The time that the host takes to allocate and free device memory. A driver maps memory in blocks:
// allocations of up to half a block share blocks, a larger one has its own mapping. Only mapping and
// unmapping take time. Measured on an H200: 0.9 µs for 1 MiB in the block of another allocation of 1 MiB, 30
// µs for a larger allocation, 26 µs to free it. Uses sizes only; not thread safe. Covered by
// tests/model/mapped_memory_test.cpp.
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

  /// Seconds that the host takes for an allocation at `address`, at which there is no other.
  double allocate_s(std::uint64_t address, std::uint64_t bytes);
  /// Seconds that the host takes to free it; 0 if its block stays mapped or `address` was not passed to
  /// allocate_s.
  double free_s(std::uint64_t address);

 private:
  struct Part {
    std::size_t block = 0;
    std::uint64_t bytes = 0;  ///< bytes of the block that it takes
  };

  /// The index of the first mapped block with room, or of an unmapped one.
  std::size_t block_for(std::uint64_t bytes);

  std::uint64_t block_bytes_;  ///< 0: no allocation takes time
  double map_s_, unmap_s_;
  std::vector<std::uint64_t> used_;  ///< used bytes by block, at most block_bytes_; 0: not mapped
  std::map<std::uint64_t, Part> parts_;
};

}  // namespace vgpu
