// Which accesses synchronise at an address exactly as their warp has just done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// A warp's first access to an address publishes, its second one reads that and publishes its own; further
/// ones by the same instruction add nothing until a clock changes or another access synchronises at the
/// address. So a counter that all lanes increase, or a histogram, costs the work of two accesses. A release
/// adds the accesses of its own lane.
class SameAddress {
 public:
  /// Called for the accesses in turn, before they synchronise. `changes`: BlockClocks::changes().
  bool adds_nothing(const AccessSite& site, unsigned warp, std::uint64_t address, std::uint64_t changes) {
    Place& place = place_of(address);
    const bool repeats = place.address == address && place.changes == changes && place.warp == warp &&
                         place.site == site.number;
    if (!repeats) {
      place = {address, changes, static_cast<std::uint16_t>(warp), site.number, 1};
      return false;
    }
    if (place.times < kEnough) ++place.times;
    return place.times == kEnough && !site.releases;
  }
  /// The access has synchronised: its own changes count as known.
  void synchronised(std::uint64_t address, std::uint64_t changes) { place_of(address).changes = changes; }

 private:
  static constexpr std::uint32_t kEnough = 3;
  static constexpr unsigned kPlaceBits = 8;

  struct Place {
    std::uint64_t address = ~std::uint64_t{0};
    std::uint64_t changes = 0;
    std::uint16_t warp = 0, site = 0;
    std::uint32_t times = 0;
  };
  Place& place_of(std::uint64_t address) {
    // Neighbouring words have different places.
    return places_[address * 0x9E3779B97F4A7C15U >> (64U - kPlaceBits)];
  }

  std::array<Place, std::size_t{1} << kPlaceBits> places_{};
};

}  // namespace vgpu::exec
