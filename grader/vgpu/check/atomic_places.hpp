// Words of global memory that were last accessed by atomic operations: for the next one, neither the readers
// nor each granule of the word have to be compared again. So a histogram costs little more than its clocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/check/global_shadow.hpp"
#include "vgpu/check/race_shadow.hpp"

namespace vgpu {

class AtomicPlaces {
 public:
  struct Place {
    std::uint64_t address = 0;
    std::uint64_t generation = 0;
    std::uint64_t changes = 0;           ///< GlobalShadow::Page::changes
    GlobalShadow::Page* page = nullptr;  ///< of the present block
    std::size_t first = 0;               ///< granule in the page
    std::int32_t unsettled = 0;          ///< no reader has this key or a later one
  };

  void begin_block() { ++generation_; }
  /// Words of different sizes can overlap: only those of the latest size are kept.
  void begin_access(unsigned granules) {
    if (granules != granules_) ++generation_;
    granules_ = granules;
  }
  /// nullptr: the word's granules can have different keys of writers, or a reader from `unsettled` on.
  const Place* find(std::uint64_t address, std::int32_t unsettled) const {
    const Place& place = places_[index_of(address)];
    const bool is_valid = place.address == address && place.generation == generation_ &&
                          place.changes == place.page->changes && place.unsettled <= unsettled;
    return is_valid ? &place : nullptr;
  }
  /// An atomic operation of the present size was recorded in the page.
  void keep(std::uint64_t address, GlobalShadow::Page& page, std::size_t first, std::int32_t unsettled) {
    places_[index_of(address)] = {address, generation_, page.changes, &page, first, unsettled};
  }

 private:
  static constexpr unsigned kPlaceBits = 7;

  static std::size_t index_of(std::uint64_t address) {
    // Neighbouring words have different places.
    return address * 0x9E3779B97F4A7C15U >> (64U - kPlaceBits);
  }

  unsigned granules_ = 0;
  std::uint64_t generation_ = 1;
  std::array<Place, std::size_t{1} << kPlaceBits> places_{};
};

}  // namespace vgpu
