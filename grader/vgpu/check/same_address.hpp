// Which accesses at an address repeat earlier ones: atomic operations, and accesses that synchronise exactly
// as their warp has just done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/races/race_shadow.hpp"
#include "vgpu/shadow/global_shadow.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// Twice as many places as a histogram of bytes has counters, since each collision costs a full access.
inline constexpr unsigned kPlaceBits = 9;
/// A place in a table of 2^kPlaceBits, different for neighbouring words.
constexpr std::size_t place_in_table(std::uint64_t address) {
  return address * 0x9E3779B97F4A7C15U >> (64U - kPlaceBits);
}

/// A warp's first access to an address publishes, its second one, if it observes, reads that and publishes
/// its own; further ones by the same instruction add nothing until a clock changes or another access
/// synchronises at the address. So a counter that all lanes increase, or a histogram, costs the work of two
/// accesses. A release adds the accesses of its own lane.
class SameAddress {
 public:
  /// Called for the accesses in turn, before they synchronise. `changes`: BlockClocks::changes().
  bool adds_nothing(const AccessSite& site, unsigned warp, std::uint64_t address, std::uint64_t changes) {
    Place& place = place_of(address);
    const std::uint32_t instruction = warp << 16U | site.number;
    if (place.address != address || place.changes != changes || place.instruction != instruction) {
      place = {address, changes, instruction, 1};
      return false;
    }
    const std::uint32_t enough = site.observes ? 3 : 2;
    if (place.times < enough) ++place.times;
    return place.times == enough && !site.releases;
  }
  /// An access synchronises at the address without adds_nothing().
  void forget(std::uint64_t address) {
    if (Place& place = place_of(address); place.address == address) place = {};
  }
  /// The access has synchronised: its own changes count as known.
  void synchronised(std::uint64_t address, std::uint64_t changes) { place_of(address).changes = changes; }

 private:
  struct Place {
    std::uint64_t address = ~std::uint64_t{0};
    std::uint64_t changes = 0;
    std::uint32_t instruction = 0;  ///< the warp's number and the site's
    std::uint32_t times = 0;
  };
  Place& place_of(std::uint64_t address) { return places_[place_in_table(address)]; }

  std::array<Place, std::size_t{1} << kPlaceBits> places_{};
};

/// Words of global memory that were last accessed by atomic operations: for the next one, neither the readers
/// nor each granule of the word have to be compared again. So a histogram costs little more than its clocks.
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
    const Place& place = places_[place_in_table(address)];
    const bool is_valid = place.address == address && place.generation == generation_ &&
                          place.changes == place.page->changes && place.unsettled <= unsettled;
    return is_valid ? &place : nullptr;
  }
  /// An atomic operation of the present size was recorded in the page.
  void keep(std::uint64_t address, GlobalShadow::Page& page, std::size_t first, std::int32_t unsettled) {
    places_[place_in_table(address)] = {address, generation_, page.changes, &page, first, unsettled};
  }

 private:
  unsigned granules_ = 0;
  std::uint64_t generation_ = 1;
  std::array<Place, std::size_t{1} << kPlaceBits> places_{};
};

}  // namespace vgpu::exec
