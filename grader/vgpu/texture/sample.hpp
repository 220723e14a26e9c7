// What a fetch gives.
#pragma once

#include "vgpu/texture/texel.hpp"

namespace vgpu::texture {

/// Where a fetch reads; values beyond the texture's dimensions do not matter.
struct Position {
  std::array<double, kMaxDimensions> at{};
  std::uint32_t layer = 0;
};

/// `texels` is where Texture::address lies, with Texture::span_bytes() behind it; the texture is valid.
Channels fetch(const Texture& texture, const std::byte* texels, const Position& position);

/// By numbers of texels, as tex1Dfetch does: never filtered. Linear memory has 0 beside its texels.
using Numbers = std::array<std::int64_t, kMaxDimensions>;
Channels fetch_numbered(const Texture& texture, const std::byte* texels, const Numbers& numbers,
                        std::uint32_t layer);

}  // namespace vgpu::texture
