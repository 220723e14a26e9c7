// The texels that a coordinate selects, axis by axis: the appendix "Texture Fetching" of the CUDA Programming
// Guide.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/texture/texture.hpp"

namespace vgpu::texture {

/// The number of a texel outside the texture, which has the border's value.
inline constexpr std::int64_t kBorder = -1;

struct Axis {
  std::uint32_t extent = 1;
  AddressMode mode = AddressMode::clamp;
  Coordinates coordinates = Coordinates::texels;
};

inline Axis axis_of(const Texture& texture, std::size_t axis) {
  return {texture.extent[axis], texture.address_modes[axis], texture.coordinates};
}

/// The two texels that linear filtering mixes, and the weight of the second one in 1/256: "9-bit
/// fixed point format with 8 bits of fractional value (so 1.0 is exactly represented)". Rounded to nearest.
struct Neighbours {
  std::array<std::int64_t, 2> texel{};
  std::uint32_t second = 0;
};

/// Any x is allowed; NaN counts as 0.
std::int64_t point_texel(const Axis& axis, double x);
Neighbours linear_texels(const Axis& axis, double x);
/// The texel that a texel number selects.
std::int64_t numbered_texel(const Axis& axis, std::int64_t number);
/// PTX ISA, tex: the layer's number is unsigned and is clamped.
inline std::uint32_t layer_of(const Texture& texture, std::uint32_t layer) {
  return layer < texture.layers ? layer : texture.layers - 1;
}

}  // namespace vgpu::texture
