#include "vgpu/texture/sample.hpp"

#include <algorithm>
#include <bit>

#include "vgpu/texture/address.hpp"

namespace vgpu::texture {
namespace {

using Texel = std::array<std::int64_t, kMaxDimensions>;  // kBorder in an axis: beside the texture

bool is_border(const Texture& texture, const Texel& texel) {
  const auto end = texel.begin() + static_cast<std::ptrdiff_t>(texture.axes());
  return std::find(texel.begin(), end, kBorder) != end;
}

/// Of a texel that is there.
const std::byte* find(const Texture& texture, const std::byte* texels, const Texel& texel,
                      std::uint32_t layer) {
  const auto x = static_cast<std::uint64_t>(texel[0]);
  const auto y = static_cast<std::uint64_t>(texel[1]);
  const std::uint64_t slice =
      texture.layers != 0 ? layer_of(texture, layer) : static_cast<std::uint64_t>(texel[2]);
  return texels + slice * texture.slice_bytes() + y * texture.pitch + x * texture.texel_bytes();
}

std::array<float, 4> floats_at(const Texture& texture, const std::byte* texels, const Texel& texel,
                               std::uint32_t layer) {
  if (is_border(texture, texel)) return texture.border;
  return float_texel(texture, find(texture, texels, texel, layer));
}

Channels bits_of(const std::array<float, 4>& values) {
  Channels bits{};
  std::transform(values.begin(), values.end(), bits.begin(),
                 [](float value) { return std::bit_cast<std::uint32_t>(value); });
  return bits;
}

Channels unfiltered(const Texture& texture, const std::byte* texels, const Texel& texel,
                    std::uint32_t layer) {
  if (texture.gives_floats()) return bits_of(floats_at(texture, texels, texel, layer));
  return is_border(texture, texel) ? Channels{} : integer_texel(texture, find(texture, texels, texel, layer));
}

/// The guide's weighted mean of the 2, 4 or 8 texels around. Weights are multiples of 2^-24 at most: their
/// products with floats are exact in double, so that nothing is rounded that the guide does not round.
Channels filtered(const Texture& texture, const std::byte* texels, const Position& position) {
  std::array<Neighbours, kMaxDimensions> axes{};
  for (std::size_t axis = 0; axis < texture.axes(); ++axis)
    axes[axis] = linear_texels(axis_of(texture, axis), position.at[axis]);
  std::array<double, 4> sum{};
  for (unsigned corner = 0; corner < 1U << texture.axes(); ++corner) {
    Texel texel{};
    double weight = 1;
    for (std::size_t axis = 0; axis < texture.axes(); ++axis) {
      const bool is_second = (corner >> axis & 1U) != 0;
      texel[axis] = axes[axis].texel[is_second ? 1 : 0];
      weight *= (is_second ? axes[axis].second : 256 - axes[axis].second) / 256.0;
    }
    const auto values = floats_at(texture, texels, texel, position.layer);
    for (std::size_t channel = 0; channel < values.size(); ++channel)
      sum[channel] += weight * static_cast<double>(values[channel]);
  }
  std::array<float, 4> mean{};
  std::transform(sum.begin(), sum.end(), mean.begin(),
                 [](double value) { return static_cast<float>(value); });
  return bits_of(mean);
}

}  // namespace

Channels fetch(const Texture& texture, const std::byte* texels, const Position& position) {
  if (texture.filter == Filter::linear) return filtered(texture, texels, position);
  Texel texel{};
  for (std::size_t axis = 0; axis < texture.axes(); ++axis)
    texel[axis] = point_texel(axis_of(texture, axis), position.at[axis]);
  return unfiltered(texture, texels, texel, position.layer);
}

Channels fetch_numbered(const Texture& texture, const std::byte* texels, const Numbers& numbers,
                        std::uint32_t layer) {
  Texel texel{};
  for (std::size_t axis = 0; axis < texture.axes(); ++axis) {
    texel[axis] = numbered_texel({texture.extent[axis], texture.address_modes[axis]}, numbers[axis]);
    const bool is_outside = numbers[axis] < 0 || numbers[axis] >= texture.extent[axis];
    if (texture.resource == Resource::linear && is_outside) return {};
  }
  return unfiltered(texture, texels, texel, layer);
}

}  // namespace vgpu::texture
