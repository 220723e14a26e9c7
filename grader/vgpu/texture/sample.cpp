#include "vgpu/texture/sample.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "vgpu/texture/address.hpp"

namespace vgpu::texture {
namespace {

/// The address of a texel inside the texture.
const std::byte* find(const Texture& texture, const std::byte* texels, const Texel& texel) {
  for (std::size_t axis = 0; axis < texture.axes(); ++axis)
    assert(texel[axis] >= 0 && texel[axis] < texture.extent[axis]);
  const auto x = static_cast<std::uint64_t>(texel[0]);
  const auto y = static_cast<std::uint64_t>(texel[1]);
  const auto slice = static_cast<std::uint64_t>(texel[2]);
  return texels + slice * texture.slice_bytes() + y * texture.pitch + x * texture.texel_bytes();
}

std::array<float, 4> floats_at(const Texture& texture, const std::byte* texels, const Texel& texel) {
  return is_outside(texture, texel) ? texture.border : float_texel(texture, find(texture, texels, texel));
}

Channels bits_of(const std::array<float, 4>& values) {
  Channels bits{};
  std::transform(values.begin(), values.end(), bits.begin(),
                 [](float value) { return std::bit_cast<std::uint32_t>(value); });
  return bits;
}

Channels unfiltered(const Texture& texture, const std::byte* texels, const Texel& texel) {
  const bool is_zero =
      is_outside(texture, texel) && (texture.resource == Resource::linear || !texture.gives_floats());
  if (is_zero) return {};
  if (texture.gives_floats()) return bits_of(floats_at(texture, texels, texel));
  return integer_texel(texture, find(texture, texels, texel));
}

float mixed_texels(const Texture& texture, const CornerValues& values, const Weights& weights) {
  if (texture.read_mode == ReadMode::normalised)
    return mixed_normalised(values, weights,
                            {texture.kind == ChannelKind::signed_integer, 8U * texture.channel_bytes});
  return texture.channel_bytes == 2 ? mixed_halves(values, weights) : mixed_floats(values, weights);
}

Channels filtered(const Texture& texture, const std::byte* texels, const Selection& selection) {
  const Weights& weights = *selection.weights;
  std::array<CornerValues, 4> values{};  // by channel
  for (std::size_t corner = 0; corner < selection.count; ++corner) {
    if (weights[corner] == 0) continue;
    const auto channels = floats_at(texture, texels, selection.texels[corner]);
    for (std::size_t channel = 0; channel < channels.size(); ++channel)
      values[channel][corner] = channels[channel];
  }
  std::array<float, 4> mixed{};
  std::transform(values.begin(), values.end(), mixed.begin(),
                 [&](const CornerValues& corners) { return mixed_texels(texture, corners, weights); });
  return bits_of(mixed);
}

/// A texel in the first slice, or in the layer.
Texel texel_in_layer(const Texture& texture, std::uint32_t layer) {
  return {0, 0, texture.layers != 0 ? layer_of(texture, layer) : 0};
}

}  // namespace

bool is_outside(const Texture& texture, const Texel& texel) {
  const auto end = texel.begin() + static_cast<std::ptrdiff_t>(texture.axes());
  return std::find(texel.begin(), end, kBorder) != end;
}

Selection selected(const Texture& texture, const Position& position) {
  Selection selection;
  selection.texels.fill(texel_in_layer(texture, position.layer));
  if (texture.filter == Filter::point) {
    for (std::size_t axis = 0; axis < texture.axes(); ++axis)
      selection.texels[0][axis] = point_texel(axis_of(texture, axis), position.at[axis]);
    return selection;
  }
  std::array<Neighbours, kMaxDimensions> axes{};
  for (std::size_t axis = 0; axis < texture.axes(); ++axis) {
    axes[axis] = linear_texels(axis_of(texture, axis), position.at[axis]);
    for (std::size_t corner = 0; corner < kCorners; ++corner)
      selection.texels[corner][axis] = axes[axis].texel[corner >> axis & 1U];
  }
  selection.count = std::size_t{1} << texture.axes();
  selection.weights = corner_weights(axes);
  return selection;
}

Selection selected(const Texture& texture, const Numbers& numbers, std::uint32_t layer) {
  Selection selection;
  Texel& texel = selection.texels[0] = texel_in_layer(texture, layer);
  for (std::size_t axis = 0; axis < texture.axes(); ++axis) {
    texel[axis] = numbered_texel({texture.extent[axis], texture.address_modes[axis]}, numbers[axis]);
    const bool is_beyond = numbers[axis] < 0 || numbers[axis] >= texture.extent[axis];
    if (texture.resource == Resource::linear && is_beyond) texel[axis] = kBorder;
  }
  return selection;
}

Channels value_of(const Texture& texture, const std::byte* texels, const Selection& selection) {
  return selection.weights ? filtered(texture, texels, selection)
                           : unfiltered(texture, texels, selection.texels[0]);
}

}  // namespace vgpu::texture
