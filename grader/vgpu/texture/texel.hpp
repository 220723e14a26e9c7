// Decodes the bytes of a texel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/texture/texture.hpp"

namespace vgpu::texture {

/// The bits of four s32, u32 or f32 values; 0 for absent channels.
using Channels = std::array<std::uint32_t, 4>;

/// For textures that return integers. Narrow channels are sign- or zero-extended according to their kind.
Channels integer_texel(const Texture& texture, const std::byte* texel);
/// For textures that return floats.
std::array<float, 4> float_texel(const Texture& texture, const std::byte* texel);

}  // namespace vgpu::texture
