// The values that kernels have stored in memory that host and device share. A word that still has such a
// value brings nothing from the host to the device. Covered by tests/cudart/transfers_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "vgpu/races/access_summary.hpp"

namespace vgpu::cudart {

/// The part of `memory`, which starts at `start`, that an access covers: whole words.
std::span<const std::byte> part_of(const MemoryAccess& access, std::uint64_t start,
                                   std::span<const std::byte> memory);

/// A region is a range of shared memory: its start, and its bytes at present. Regions start at pages.
class KernelStores {
 public:
  /// `max_bytes`: the most memory whose values are kept. Beyond it, no word counts as stored.
  explicit KernelStores(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Of a region, after a launch: only whole words that were stored plainly. Other bytes of a word, and the
  /// operand that an atomic combines with, can be the host's.
  void remember(std::uint64_t start, std::span<const std::byte> memory, const MemoryAccess& access);
  /// A kernel can read a word of the host and then store what was there before: the words that a launch
  /// stores are unknown until its end.
  void forget(std::span<const MemoryAccess> accesses);
  void forget_all();
  /// The bytes of a part of a region that are not what kernels stored.
  std::uint64_t other_bytes(std::uint64_t start, std::span<const std::byte> memory,
                            std::span<const std::byte> part) const;
  /// Whether kernels stored this word, or the part of it that is in a region, at this address of a region.
  bool has(std::uint64_t address, std::span<const std::byte> word) const;

 private:
  struct Region {
    std::vector<std::byte> values;
    std::vector<std::uint8_t> is_stored;  ///< by word

    bool has(std::size_t offset, std::span<const std::byte> word) const;
  };

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;                    ///< of all regions
  std::map<std::uint64_t, Region> regions_;  ///< by start
};

}  // namespace vgpu::cudart
