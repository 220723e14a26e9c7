#include "vgpu/texture/texture.hpp"

#include <algorithm>

namespace vgpu::texture {
namespace {

/// No GPU allows more in one dimension (CUDA Programming Guide, "Technical Specifications per Compute
/// Capability"); with this limit no product of extents, pitches and positions below overflows.
constexpr std::uint32_t kMaxExtent = 1U << 28U;
constexpr std::uint64_t kMaxSpanBytes = std::uint64_t{1} << 40U;

bool is_power_up_to_4(std::uint8_t value) { return value == 1 || value == 2 || value == 4; }

bool has_known_modes(const Texture& texture) {
  return texture.resource <= Resource::pitched && texture.kind <= ChannelKind::floating &&
         texture.filter <= Filter::linear && texture.coordinates <= Coordinates::normalised &&
         texture.read_mode <= ReadMode::normalised &&
         std::all_of(texture.address_modes.begin(), texture.address_modes.end(),
                     [](AddressMode mode) { return mode <= AddressMode::border; });
}

bool has_possible_extent(const Texture& texture) {
  if (texture.dimensions < 1 || texture.dimensions > kMaxDimensions) return false;
  if (texture.layers > kMaxExtent || (texture.layers != 0 && texture.dimensions == kMaxDimensions))
    return false;
  for (std::size_t axis = 0; axis < kMaxDimensions; ++axis) {
    const std::uint32_t extent = texture.extent[axis];
    if (extent < 1 || extent > kMaxExtent || (axis >= texture.dimensions && extent != 1)) return false;
  }
  if (texture.pitch < std::uint64_t{texture.extent[0]} * texture.texel_bytes()) return false;
  // Step by step, so that no product overflows.
  if (texture.pitch > kMaxSpanBytes / texture.extent[1]) return false;
  const std::uint64_t slice = texture.pitch * texture.extent[1];
  return slice <= kMaxSpanBytes / texture.extent[2] &&
         slice <= kMaxSpanBytes / std::max<std::uint32_t>(texture.layers, 1);
}

}  // namespace

std::uint64_t Texture::span_bytes() const {
  const std::uint64_t slices = std::max<std::uint64_t>(layers, extent[2]);
  return (slices - 1) * slice_bytes() + (extent[1] - 1) * pitch + std::uint64_t{extent[0]} * texel_bytes();
}

std::string why_invalid(const Texture& texture) {
  if (!has_known_modes(texture)) return "an address, filter or read mode does not exist";
  if (!is_power_up_to_4(texture.channels) || !is_power_up_to_4(texture.channel_bytes))
    return "texels have 1, 2 or 4 channels of 8, 16 or 32 bits";
  if (texture.kind == ChannelKind::floating && texture.channel_bytes == 1)
    return "floating-point channels have 16 or 32 bits";
  if (!has_possible_extent(texture)) return "the extent or the pitch is invalid for a texture";
  if (texture.address % texture.channel_bytes != 0) return "the texels are not aligned";
  if (texture.read_mode == ReadMode::normalised &&
      (texture.kind == ChannelKind::floating || texture.channel_bytes == 4))
    return "only integers of 8 or 16 bits are read as normalised floats";
  if (texture.filter == Filter::linear && !texture.gives_floats()) return "only floats are filtered";
  return {};
}

}  // namespace vgpu::texture
