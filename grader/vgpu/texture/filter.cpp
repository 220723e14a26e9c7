#include "vgpu/texture/filter.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace vgpu::texture {
namespace {

constexpr std::uint32_t kWhole = 256;
constexpr std::size_t kSliceCorners = 4;  // texels with one z
constexpr int kGuardBits = 4;             // bits below the last place that aligned texels keep

/// A floating-point format: the bits of its fraction, and the exponent of its smallest normal number.
struct Format {
  int fraction_bits, smallest_exponent;
};
constexpr Format kSingle{23, -126}, kHalf{10, -14};

/// `fraction` 256ths of a weight; half a unit is rounded up.
std::uint32_t part(std::uint32_t weight, std::uint32_t fraction) {
  return (weight * fraction + kWhole / 2) / kWhole;
}

/// Half a unit in the last place is rounded away from zero.
float rounded(double value, Format format) {
  if (value == 0 || !std::isfinite(value)) return static_cast<float>(value);
  const int unit = std::max(std::ilogb(value), format.smallest_exponent) - format.fraction_bits;
  return static_cast<float>(std::ldexp(std::round(std::ldexp(value, -unit)), unit));
}

/// The texels are aligned to the largest one with a weight, which truncates them below the guard bits; their
/// weighted sum is exact. Infinities and NaN are added as in IEEE 754.
double slice_sum(const float* values, const std::uint32_t* weights, Format format) {
  int exponent = format.smallest_exponent;
  for (std::size_t i = 0; i < kSliceCorners; ++i) {
    if (weights[i] == 0 || values[i] == 0) continue;
    if (!std::isfinite(values[i])) continue;
    exponent = std::max(exponent, std::ilogb(values[i]));
  }
  const int unit = exponent - format.fraction_bits - kGuardBits;
  double sum = 0;
  for (std::size_t i = 0; i < kSliceCorners; ++i)
    if (weights[i] != 0) sum += weights[i] * std::trunc(std::ldexp(static_cast<double>(values[i]), -unit));
  return std::ldexp(sum, unit);
}

float mixed(const CornerValues& values, const Weights& weights, Format format) {
  const double sum = slice_sum(values.data(), weights.data(), format) +
                     slice_sum(&values[kSliceCorners], &weights[kSliceCorners], format);
  return rounded(sum / kWhole, format);
}

}  // namespace

Weights corner_weights(const std::array<Neighbours, kMaxDimensions>& axes) {
  std::array<std::uint32_t, kMaxDimensions> second{};
  // At a clamped edge both texels are the same, which gets the whole weight.
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].texel[0] != axes[axis].texel[1]) second[axis] = axes[axis].second;
  const auto [x, y, z] = second;
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
  assert(std::accumulate(weights.begin(), weights.end(), 0U) == kWhole);
  return weights;
}

float mixed_floats(const CornerValues& values, const Weights& weights) {
  return mixed(values, weights, kSingle);
}

float mixed_halves(const CornerValues& values, const Weights& weights) {
  return mixed(values, weights, kHalf);
}

/// The sum is an integer of 16 bits for texels of any width.
float mixed_normalised(const CornerValues& values, const Weights& weights, Normalised kind) {
  const auto largest = [&](unsigned bits) { return (1 << (kind.is_signed ? bits - 1 : bits)) - 1; };
  const double least = kind.is_signed ? -1 : 0;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kCorners; ++i) {
    if (weights[i] == 0) continue;
    // A border can have any value; NaN becomes the least value.
    const double value = values[i] > least ? std::min(static_cast<double>(values[i]), 1.0) : least;
    sum += std::int64_t{weights[i]} * std::lround(value * largest(kind.bits));
  }
  constexpr unsigned kWidenedBits = 16;
  const double widened = static_cast<double>(sum) * largest(kWidenedBits) / largest(kind.bits);
  return static_cast<float>(std::floor(widened / kWhole + 0.5)) / static_cast<float>(largest(kWidenedBits));
}

}  // namespace vgpu::texture
