#include "vgpu/texture/sample.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "vgpu/texture/address.hpp"
#include "vgpu/texture/filter.hpp"

namespace vgpu::texture {
namespace {

using Texel = std::array<std::int64_t, kMaxDimensions>;  // kBorder in an axis: outside the texture

bool is_border(const Texture& texture, const Texel& texel) {
  const auto end = texel.begin() + static_cast<std::ptrdiff_t>(texture.axes());
  return std::find(texel.begin(), end, kBorder) != end;
}

/// The address of a texel inside the texture.
const std::byte* find(const Texture& texture, const std::byte* texels, const Texel& texel,
                      std::uint32_t layer) {
  for (std::size_t axis = 0; axis < texture.axes(); ++axis)
    assert(texel[axis] >= 0 && texel[axis] < texture.extent[axis]);
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

float mixed_texels(const Texture& texture, const CornerValues& values, const Weights& weights) {
  if (texture.read_mode == ReadMode::normalised)
    return mixed_normalised(values, weights,
                            {texture.kind == ChannelKind::signed_integer, 8U * texture.channel_bytes});
  return texture.channel_bytes == 2 ? mixed_halves(values, weights) : mixed_floats(values, weights);
}

Channels filtered(const Texture& texture, const std::byte* texels, const Position& position) {
  std::array<Neighbours, kMaxDimensions> axes{};
  for (std::size_t axis = 0; axis < texture.axes(); ++axis)
    axes[axis] = linear_texels(axis_of(texture, axis), position.at[axis]);
  const Weights weights = corner_weights(axes);
  std::array<CornerValues, 4> values{};  // by channel
  for (std::size_t corner = 0; corner < kCorners; ++corner) {
    if (weights[corner] == 0) continue;
    Texel texel{};
    for (std::size_t axis = 0; axis < texture.axes(); ++axis)
      texel[axis] = axes[axis].texel[corner >> axis & 1U];
    const auto channels = floats_at(texture, texels, texel, position.layer);
    for (std::size_t channel = 0; channel < channels.size(); ++channel)
      values[channel][corner] = channels[channel];
  }
  std::array<float, 4> mixed{};
  std::transform(values.begin(), values.end(), mixed.begin(),
                 [&](const CornerValues& corners) { return mixed_texels(texture, corners, weights); });
  return bits_of(mixed);
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
