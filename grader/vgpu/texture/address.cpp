#include "vgpu/texture/address.hpp"

#include <algorithm>
#include <cmath>

namespace vgpu::texture {
namespace {

constexpr double kFar = 0x1p31;  // outside every texture, and small enough for integers

/// Wrap and mirror exist for normalised coordinates only; otherwise they act as clamp.
AddressMode mode_of(const Axis& axis) {
  const bool repeats = axis.mode == AddressMode::wrap || axis.mode == AddressMode::mirror;
  return repeats && axis.coordinates == Coordinates::texels ? AddressMode::clamp : axis.mode;
}

double finite(double x) { return x == x ? std::clamp(x, -kFar, kFar) : 0; }

/// The guide's frac(x), or 1 - frac(x) in every other copy of a mirrored texture.
double within_one(AddressMode mode, double x) {
  const double whole = std::floor(x);
  const double rest = x - whole;
  return mode == AddressMode::mirror && std::fmod(whole, 2) != 0 ? 1 - rest : rest;
}

/// The coordinate in texels. The product of a float and an extent is exact in double.
double in_texels(const Axis& axis, double x) {
  x = finite(x);
  if (axis.coordinates == Coordinates::texels) return x;
  const AddressMode mode = mode_of(axis);
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return finite((repeats ? within_one(mode, x) : x) * axis.extent);
}

}  // namespace

std::int64_t numbered_texel(const Axis& axis, std::int64_t number) {
  const std::int64_t extent = axis.extent;
  switch (mode_of(axis)) {
    case AddressMode::wrap:
      return (number % extent + extent) % extent;
    case AddressMode::mirror: {
      const std::int64_t twice = (number % (2 * extent) + 2 * extent) % (2 * extent);
      return twice < extent ? twice : 2 * extent - 1 - twice;
    }
    case AddressMode::border:
      return number >= 0 && number < extent ? number : kBorder;
    case AddressMode::clamp:
      break;
  }
  return std::clamp<std::int64_t>(number, 0, extent - 1);
}

std::int64_t point_texel(const Axis& axis, double x) {
  return numbered_texel(axis, static_cast<std::int64_t>(std::floor(in_texels(axis, x))));
}

Neighbours linear_texels(const Axis& axis, double x) {
  const double centred = in_texels(axis, x) - 0.5;  // texel i has its value at i + 0.5
  const double first = std::floor(centred);
  const auto number = static_cast<std::int64_t>(first);
  // The weight has 8 bits of fraction (CUDA C++ Programming Guide, "Linear Filtering").
  return {{numbered_texel(axis, number), numbered_texel(axis, number + 1)},
          static_cast<std::uint32_t>(std::lround((centred - first) * 256))};
}

}  // namespace vgpu::texture
