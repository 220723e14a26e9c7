// Linear filtering of the texels around a position. The CUDA Programming Guide does not define the rounding
// of weights and sums; the rules here are derived from the results of an NVIDIA H200. Of 32,768 random
// fetches per kind of texture, all are bit-identical for floats in 1D and 2D, 16-bit floats, and normalised
// integers except signed bytes; for signed bytes 94 % are (the others differ by 1/32767), for floats in
// 3D 99.8 % (measured by grader/tests/kernels/cudart/texture_filter.cu).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/texture/address.hpp"

namespace vgpu::texture {

inline constexpr std::size_t kCorners = 8;

/// The weights of the texels around a position, in 1/256; their sum is 256. Bit i of a corner's number is set
/// for the second texel along axis i.
using Weights = std::array<std::uint32_t, kCorners>;
using CornerValues = std::array<float, kCorners>;

/// For axes beyond the texture's dimensions `second` is 0.
Weights corner_weights(const std::array<Neighbours, kMaxDimensions>& axes);

/// The values of corners without weight are ignored.
float mixed_floats(const CornerValues& values, const Weights& weights);
/// Mixes 16-bit floats; the result is a 16-bit float as well.
float mixed_halves(const CornerValues& values, const Weights& weights);

/// The type of integer texels that are read as floats.
struct Normalised {
  bool is_signed = false;
  unsigned bits = 8;
};
float mixed_normalised(const CornerValues& values, const Weights& weights, Normalised kind);

}  // namespace vgpu::texture
