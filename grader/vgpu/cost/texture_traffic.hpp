// The traffic of the texture unit, which serves fetches and surface accesses. It divides a warp's instruction
// into groups of neighbouring lanes. The sizes of the groups are those that Nsight Compute's counts show on
// an H200 (grader/doc/validation.md).
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/state/warp.hpp"
#include "vgpu/texture/texture.hpp"

namespace vgpu::exec {

struct TextureShape {
  int request_lanes = 4;
  int lookup_lanes = 4;     ///< look up each sector that they need once
  int wavefront_lanes = 4;  ///< pass through the unit together
  unsigned passes = 1;      ///< lookups and wavefronts for the same lanes, each for a part of the channels
};
TextureShape shape_of_fetch(const texture::Texture& texture);
TextureShape shape_of_surface_access(std::uint32_t dimensions);

/// One warp instruction on one texture or surface.
class TextureAccess {
 public:
  /// Begins with no lane.
  void begin(TextureShape shape);
  /// Adds an active lane, in ascending order.
  void add_lane(int lane);
  /// Adds bytes that the last lane accesses, at an address of texture::stored_at(). They lie in one sector,
  /// because textures are aligned; only in an object that a program forged can they reach into a second one,
  /// which does not count.
  void add_texel(std::uint64_t address, std::uint32_t bytes);
  /// Counts the access for the instruction and records it for the caches.
  void count(const Warp& warp, const Decoded& d, Traffic traffic) const;

 private:
  static constexpr std::size_t kTexels = 8;  ///< of a lane at most: linear filtering in three dimensions

  TextureShape shape_;
  std::array<std::uint64_t, kWarpLanes * kTexels> sectors_;  ///< by lookup, each once
  std::array<std::uint16_t, kWarpLanes> ends_;               ///< of each lookup's part of sectors_
  std::size_t sector_count_ = 0, first_sector_ = 0;
  std::size_t requests_ = 0, lookups_ = 0, wavefronts_ = 0;
  int last_lane_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace vgpu::exec
