// What the bytes of a texel mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/texture/texture.hpp"

namespace vgpu::texture {

/// The bits of four s32, u32 or f32 values; 0 for channels that a texel does not have.
using Channels = std::array<std::uint32_t, 4>;

/// Of a texture that gives integers. Narrow ones are extended as their kind says.
Channels integer_texel(const Texture& texture, const std::byte* texel);
/// Of a texture that gives floats.
std::array<float, 4> float_texel(const Texture& texture, const std::byte* texel);

}  // namespace vgpu::texture
