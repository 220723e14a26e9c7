// Which lanes of an instruction synchronise at the address at which two lanes before them did.
#pragma once

#include <cstdint>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// The first lane at an address publishes, the second reads that and publishes its own; further lanes of the
/// warp add nothing, so that a counter that all lanes increase costs two lanes' work. A release adds the
/// accesses of its own lane.
class SameAddress {
 public:
  /// Called for the lanes in turn.
  bool adds_nothing(const AccessSite& site, std::uint64_t address) {
    times_ = address == last_ ? times_ + 1 : 1;
    last_ = address;
    return times_ > 2 && !site.releases;
  }

 private:
  std::uint64_t last_ = ~std::uint64_t{0};
  int times_ = 0;
};

}  // namespace vgpu::exec
