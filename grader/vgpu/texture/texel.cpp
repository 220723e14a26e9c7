#include "vgpu/texture/texel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace vgpu::texture {
namespace {

/// The channel's bits, in the low bits of the result.
std::uint32_t raw_channel(const Texture& texture, const std::byte* texel, std::size_t channel) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, texel + channel * texture.channel_bytes, texture.channel_bytes);  // little-endian
  return raw;
}

std::uint32_t extended(const Texture& texture, std::uint32_t raw) {
  if (texture.kind != ChannelKind::signed_integer) return raw;
  const unsigned unused = 32U - 8U * texture.channel_bytes;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << unused) >> unused);
}

/// The exact value of an IEEE 754 binary16.
float widened_half(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10U & 31U);
  const auto fraction = static_cast<float>(bits & 1023U);
  float magnitude = std::ldexp(fraction, -24);  // subnormal
  if (exponent == 31) {
    magnitude =
        fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent != 0) {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits >> 15U & 1U) != 0 ? -magnitude : magnitude;
}

/// The largest integer becomes 1. The smallest one of a signed type would become less than -1 and is clamped.
float normalised(const Texture& texture, std::uint32_t raw) {
  const unsigned bits = 8U * texture.channel_bytes;
  if (texture.kind == ChannelKind::unsigned_integer)
    return static_cast<float>(raw) / static_cast<float>((1U << bits) - 1);
  const auto value = static_cast<std::int32_t>(extended(texture, raw));
  return std::max(static_cast<float>(value) / static_cast<float>((1U << (bits - 1)) - 1), -1.0F);
}

float float_channel(const Texture& texture, std::uint32_t raw) {
  if (texture.read_mode == ReadMode::normalised) return normalised(texture, raw);
  return texture.channel_bytes == 2 ? widened_half(raw) : std::bit_cast<float>(raw);
}

}  // namespace

Channels integer_texel(const Texture& texture, const std::byte* texel) {
  Channels values{};
  for (std::size_t channel = 0; channel < texture.channels; ++channel)
    values[channel] = extended(texture, raw_channel(texture, texel, channel));
  return values;
}

std::array<float, 4> float_texel(const Texture& texture, const std::byte* texel) {
  std::array<float, 4> values{};
  for (std::size_t channel = 0; channel < texture.channels; ++channel)
    values[channel] = float_channel(texture, raw_channel(texture, texel, channel));
  return values;
}

}  // namespace vgpu::texture
