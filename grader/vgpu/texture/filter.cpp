#include "vgpu/texture/filter.hpp"

#include <algorithm>
#include <cmath>

namespace vgpu::texture {
namespace {

constexpr std::uint32_t kWhole = 256;
constexpr std::size_t kSliceCorners = 4;  // of the texels with one z
constexpr int kFractionBits = 23;         // of a float
constexpr int kGuardBits = 4;             // that texels keep when they are aligned
constexpr int kSmallestExponent = -126;   // of a normal float
constexpr double kLargest16 = 65535;

/// `fraction` 256ths of a weight, half a unit rounded up.
std::uint32_t part(std::uint32_t weight, std::uint32_t fraction) {
  return (weight * fraction + kWhole / 2) / kWhole;
}

/// To a float, half a unit in the last place rounded away from zero.
float rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return static_cast<float>(value);
  const int exponent = std::max(std::ilogb(value), kSmallestExponent);
  return static_cast<float>(
      std::ldexp(std::round(std::ldexp(value, kFractionBits - exponent)), exponent - kFractionBits));
}

/// The texels are aligned to the largest that has a weight, which cuts off what is below the guard bits;
/// their weighted sum is exact.
double slice_sum(const float* values, const std::uint32_t* weights) {
  int exponent = kSmallestExponent;
  for (std::size_t i = 0; i < kSliceCorners; ++i) {
    if (weights[i] == 0 || values[i] == 0) continue;
    if (!std::isfinite(values[i])) return values[i] * static_cast<double>(weights[i]);
    exponent = std::max(exponent, std::ilogb(values[i]));
  }
  const int unit = exponent - kFractionBits - kGuardBits;
  double sum = 0;
  for (std::size_t i = 0; i < kSliceCorners; ++i)
    if (weights[i] != 0) sum += weights[i] * std::trunc(std::ldexp(static_cast<double>(values[i]), -unit));
  return std::ldexp(sum, unit);
}

}  // namespace

Weights corner_weights(const std::array<Neighbours, kMaxDimensions>& axes) {
  const std::uint32_t x = axes[0].second, y = axes[1].second;
  // At the edge of a clamped volume both slices are the same one, which is read once.
  const std::uint32_t z = axes[2].texel[0] == axes[2].texel[1] ? 0 : axes[2].second;
  Weights weights{};
  for (std::size_t slice = 0; slice < 2; ++slice) {
    const std::uint32_t whole = slice == 0 ? kWhole - z : z;
    const std::uint32_t right = part(whole, x), left = whole - right;
    std::uint32_t* corner = &weights[slice * kSliceCorners];
    corner[0] = part(left, kWhole - y);
    corner[2] = left - corner[0];
    corner[3] = part(right, y);
    corner[1] = right - corner[3];
  }
  return weights;
}

float mixed_floats(const CornerValues& values, const Weights& weights) {
  const double sum =
      slice_sum(values.data(), weights.data()) + slice_sum(&values[kSliceCorners], &weights[kSliceCorners]);
  return rounded(sum / kWhole);
}

float mixed_unsigned(const CornerValues& values, const Weights& weights) {
  std::uint32_t sum = 0;  // of 16-bit integers, whatever the texels' width
  for (std::size_t i = 0; i < kCorners; ++i) {
    const double value = std::clamp(static_cast<double>(values[i]), 0.0, 1.0);
    sum += weights[i] * static_cast<std::uint32_t>(std::lround(value * kLargest16));
  }
  return static_cast<float>((sum + kWhole / 2) / kWhole) / static_cast<float>(kLargest16);
}

}  // namespace vgpu::texture
