// How the lanes of one access use sectors of global memory, or banks of shared memory: the numbers of the
// access picture. Pure. Covered by tests/profile/access_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vgpu/facts/counters.hpp"
#include "vgpu/facts/recording.hpp"

namespace grader {

inline constexpr unsigned kWordBytes = 4;
inline constexpr unsigned kWordsPerSector = 8;
inline constexpr unsigned kSectorsPerLine = 4;  ///< a cache line has 128 bytes
inline constexpr unsigned kBanks = 32;

/// A sector of 32 bytes that an access touches.
struct SectorUse {
  std::uint64_t start = 0;
  std::array<std::uint32_t, kWordsPerSector> lanes{};  ///< by word: the lanes that access it, one bit each

  unsigned used_words() const;
};

/// In the order of addresses.
std::vector<SectorUse> sectors_of(const vgpu::RecordedAccess& access, std::uint32_t bytes_per_lane);

/// A word that a bank of shared memory delivers, and the lanes that get it.
struct WordUse {
  std::uint64_t word = 0;  ///< address / 4
  std::uint32_t lanes = 0;
};

/// By bank: the different words, in the order of the lanes. A bank delivers one word per pass.
std::array<std::vector<WordUse>, kBanks> banks_of(const vgpu::RecordedAccess& access,
                                                  std::uint32_t bytes_per_lane);

}  // namespace grader
