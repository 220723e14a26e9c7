#include "vgpu/texture/layout.hpp"

namespace vgpu::texture {
namespace {

constexpr std::uint64_t kTileBytes = 64, kTileRows = 8;

std::uint64_t tiles_for(std::uint64_t extent, std::uint64_t tile) { return (extent + tile - 1) / tile; }

/// The offset in a tile; by bits of the offset, from the lowest: x 0 to 3, y 0, x 4, y 1, y 2, x 5.
std::uint64_t in_tile(std::uint64_t x, std::uint64_t y) {
  return (x & 15U) | (y & 1U) << 4U | (x >> 4U & 1U) << 5U | (y >> 1U & 3U) << 6U | (x >> 5U & 1U) << 8U;
}

}  // namespace

std::uint64_t stored_at(const Texture& texture, const Place& place) {
  const auto& [x, y, slice] = place;
  if (texture.resource != Resource::array)
    return texture.address + slice * texture.slice_bytes() + y * texture.pitch + x;
  const std::uint64_t tiles_in_row =
      tiles_for(std::uint64_t{texture.extent[0]} * texture.texel_bytes(), kTileBytes);
  const std::uint64_t rows_of_tiles = tiles_for(texture.extent[1], kTileRows);
  const std::uint64_t tile = (slice * rows_of_tiles + y / kTileRows) * tiles_in_row + x / kTileBytes;
  return texture.address + tile * (kTileBytes * kTileRows) + in_tile(x, y);
}

}  // namespace vgpu::texture
