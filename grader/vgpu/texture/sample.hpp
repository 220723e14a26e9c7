// The result of a fetch.
#pragma once

#include "vgpu/texture/texel.hpp"

namespace vgpu::texture {

/// The position that a fetch reads; values beyond the texture's dimensions are ignored.
struct Position {
  std::array<double, kMaxDimensions> at{};
  std::uint32_t layer = 0;
};

/// `texels` points to the Texture::span_bytes() bytes at Texture::address; the texture is valid.
Channels fetch(const Texture& texture, const std::byte* texels, const Position& position);

/// Fetches by texel numbers, like tex1Dfetch: never filtered. Linear memory is 0 outside its texels.
using Numbers = std::array<std::int64_t, kMaxDimensions>;
Channels fetch_numbered(const Texture& texture, const std::byte* texels, const Numbers& numbers,
                        std::uint32_t layer);

}  // namespace vgpu::texture
