// The result of a fetch: first the texels that it selects, then their value.
#pragma once

#include <optional>

#include "vgpu/texture/filter.hpp"
#include "vgpu/texture/texel.hpp"

namespace vgpu::texture {

/// The position that a fetch reads; values beyond the texture's dimensions are ignored.
struct Position {
  std::array<double, kMaxDimensions> at{};
  std::uint32_t layer = 0;
};
using Numbers = std::array<std::int64_t, kMaxDimensions>;

/// A texel's number in each dimension, kBorder if it is outside; the last one counts slices or layers.
using Texel = std::array<std::int64_t, kMaxDimensions>;
bool is_outside(const Texture& texture, const Texel& texel);

/// The texels that a fetch reads. With linear filtering two per dimension, and their weights.
struct Selection {
  std::array<Texel, kCorners> texels{};
  std::size_t count = 1;
  std::optional<Weights> weights;
};
/// The texture is valid.
Selection selected(const Texture& texture, const Position& position);
/// By texel numbers, like tex1Dfetch: never filtered.
Selection selected(const Texture& texture, const Numbers& numbers, std::uint32_t layer);

/// `texels` points to the Texture::span_bytes() bytes at Texture::address. Linear memory is 0 outside its
/// texels.
Channels value_of(const Texture& texture, const std::byte* texels, const Selection& selection);

inline Channels fetch(const Texture& texture, const std::byte* texels, const Position& position) {
  return value_of(texture, texels, selected(texture, position));
}
inline Channels fetch_numbered(const Texture& texture, const std::byte* texels, const Numbers& numbers,
                               std::uint32_t layer) {
  return value_of(texture, texels, selected(texture, numbers, layer));
}

}  // namespace vgpu::texture
