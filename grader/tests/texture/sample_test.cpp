// The results of fetches: formats, filtering, layers.

#include "vgpu/texture/sample.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "catch.hpp"
#include "vgpu/texture/filter.hpp"

using namespace vgpu::texture;

namespace {

template <class T>
const std::byte* bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values)).data();
}

Texture plane(std::uint32_t width, std::uint32_t height, std::uint64_t pitch) {
  Texture texture{.address = 256, .pitch = pitch};
  texture.extent = {width, height, 1};
  texture.dimensions = 2;
  return texture;
}

Texture line_of_bytes(ChannelKind kind) {
  Texture texture{.address = 256, .pitch = 4};
  texture.extent[0] = 4;
  texture.channel_bytes = 1;
  texture.kind = kind;
  return texture;
}

float value(const Channels& channels, std::size_t channel = 0) {
  return std::bit_cast<float>(channels[channel]);
}

}  // namespace

TEST_CASE("integers are sign- or zero-extended according to their kind") {
  const std::vector<std::uint8_t> texels{0, 127, 128, 255};
  const Texture without_sign = line_of_bytes(ChannelKind::unsigned_integer);
  const Texture with_sign = line_of_bytes(ChannelKind::signed_integer);
  CHECK(fetch(without_sign, bytes_of(texels), {{3}}) == Channels{255, 0, 0, 0});
  CHECK(fetch(with_sign, bytes_of(texels), {{3}}) == Channels{0xFFFFFFFF, 0, 0, 0});
  CHECK(fetch(with_sign, bytes_of(texels), {{1}}) == Channels{127, 0, 0, 0});
}

TEST_CASE("normalised integers become floats from -1 or 0 to 1") {
  const std::vector<std::uint8_t> texels{0, 127, 128, 255};
  Texture without_sign = line_of_bytes(ChannelKind::unsigned_integer);
  Texture with_sign = line_of_bytes(ChannelKind::signed_integer);
  without_sign.read_mode = with_sign.read_mode = ReadMode::normalised;
  CHECK(value(fetch(without_sign, bytes_of(texels), {{0}})) == 0.0F);
  CHECK(value(fetch(without_sign, bytes_of(texels), {{1}})) == 127.0F / 255.0F);
  CHECK(value(fetch(without_sign, bytes_of(texels), {{3}})) == 1.0F);
  CHECK(value(fetch(with_sign, bytes_of(texels), {{1}})) == 1.0F);
  CHECK(value(fetch(with_sign, bytes_of(texels), {{2}})) == -1.0F);  // -128 and -127 both
  CHECK(value(fetch(with_sign, bytes_of(texels), {{3}})) == -1.0F / 127.0F);
}

TEST_CASE("half floats are widened") {
  const std::vector<std::uint16_t> texels{0x3C00, 0xC000, 0x0001, 0x7C00};
  Texture texture{.address = 256, .pitch = 8};
  texture.extent[0] = 4;
  texture.channel_bytes = 2;
  CHECK(value(fetch(texture, bytes_of(texels), {{0}})) == 1.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{1}})) == -2.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{2}})) == 0x1p-24F);
  CHECK(value(fetch(texture, bytes_of(texels), {{3}})) == std::numeric_limits<float>::infinity());
}

TEST_CASE("four texels are mixed with the weights of both axes, in all channels") {
  const std::vector<float> texels{1, 10, 2, 20, -1, -1,
                                  4, 40, 8, 80, -1, -1};  // rows of 2 texels of 2 channels
  Texture texture = plane(2, 2, 24);
  texture.channels = 2;
  texture.filter = Filter::linear;
  const Channels middle = fetch(texture, bytes_of(texels), {{1, 1}});
  CHECK(value(middle, 0) == (1 + 2 + 4 + 8) / 4.0F);
  CHECK(value(middle, 1) == 10 * (1 + 2 + 4 + 8) / 4.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{0.75, 0.5}})) == 1.25F);
  CHECK(value(fetch(texture, bytes_of(texels), {{0.5, 1.25}})) == 3.25F);
  CHECK(value(fetch(texture, bytes_of(texels), {{-7, 99}})) == 4.0F);
}

TEST_CASE("weights are whole 256ths, products of two axes rounded as an H200 rounds them") {
  std::array<Neighbours, kMaxDimensions> axes{};
  axes[0] = {{0, 1}, 100};
  axes[1] = {{0, 1}, 100};
  CHECK(corner_weights(axes) == Weights{95, 61, 61, 39});  // 100 · 100 / 256 = 39.06
  axes[1].second = 224;
  CHECK(corner_weights(axes) == Weights{20, 12, 136, 88});  // 87.5 and 19.5: half a unit is rounded up
  axes[1].texel = {3, 3};
  CHECK(corner_weights(axes) == Weights{156, 100});
}

TEST_CASE("texels are aligned to the largest one before they are mixed, as on an H200") {
  const Weights halves{128, 128};
  CHECK(mixed_floats({0x1p23F, 0.03125F}, halves) == 0x1p22F);  // below the guard bits
  CHECK(mixed_floats({0x1p23F, 3.0F}, halves) == 0x1p22F + 1.5F);
  CHECK(mixed_floats({1.0F, 0x1.000002p0F}, halves) == 0x1.000002p0F);  // half away from zero
  CHECK(mixed_floats({-1.0F, -0x1.000002p0F}, halves) == -0x1.000002p0F);
  CHECK(mixed_floats({2.0F, std::numeric_limits<float>::infinity()}, {256, 0}) == 2.0F);
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  CHECK(mixed_floats({2.0F, kInfinite}, halves) == kInfinite);
  CHECK(std::isnan(mixed_floats({-kInfinite, kInfinite}, halves)));
  CHECK(mixed_normalised({std::nanf(""), 1.0F}, halves, {.is_signed = false, .bits = 8}) ==
        32768.0F / 65535.0F);
  CHECK(mixed_halves({1.0F, 0x1.004p0F}, halves) == 0x1.004p0F);
  CHECK(mixed_normalised({1.0F, 0.0F}, {127, 129}, {.is_signed = false, .bits = 8}) == 32512.0F / 65535.0F);
}

TEST_CASE("the border has its own colour and takes part in filtering") {
  const std::vector<float> texels{2, 4};
  Texture texture{.address = 256, .pitch = 8};
  texture.extent[0] = 2;
  texture.address_modes[0] = AddressMode::border;
  texture.border = {6, 1, 1, 1};
  CHECK(value(fetch(texture, bytes_of(texels), {{-1}})) == 6.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{1.5}})) == 4.0F);
  texture.filter = Filter::linear;
  CHECK(value(fetch(texture, bytes_of(texels), {{2}})) == 5.0F);
}

TEST_CASE("layers are clamped and never mixed") {
  const std::vector<float> texels{1, 2, 3, 4, 5, 6};
  Texture texture{.address = 256, .pitch = 8};
  texture.extent[0] = 2;
  texture.layers = 3;
  CHECK(value(fetch(texture, bytes_of(texels), {{1}, 0})) == 2.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{0}, 2})) == 5.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{0}, 7})) == 5.0F);
  CHECK(value(fetch(texture, bytes_of(texels), {{0}, 0xFFFFFFFF})) == 5.0F);
}

TEST_CASE("eight texels of a 3D texture are mixed") {
  const std::vector<float> texels{1, 2, 3, 4, 5, 6, 7, 8};
  Texture texture = plane(2, 2, 8);
  texture.extent[2] = 2;
  texture.dimensions = 3;
  CHECK(value(fetch(texture, bytes_of(texels), {{1.5, 0.5, 1.5}})) == 6.0F);
  texture.filter = Filter::linear;
  CHECK(value(fetch(texture, bytes_of(texels), {{1, 1, 1}})) == 4.5F);
}

TEST_CASE("linear memory is read by texel number, with 0 outside") {
  const std::vector<float> texels{1, 2, 3};
  Texture texture{.address = 256, .pitch = 12, .resource = Resource::linear};
  texture.extent[0] = 3;
  CHECK(value(fetch_numbered(texture, bytes_of(texels), {2}, 0)) == 3.0F);
  CHECK(fetch_numbered(texture, bytes_of(texels), {3}, 0) == Channels{});
  CHECK(fetch_numbered(texture, bytes_of(texels), {-1}, 0) == Channels{});
}

TEST_CASE("an invalid texture object is reported, whatever its bytes are") {
  CHECK(why_invalid(plane(2, 2, 8)).empty());
  CHECK(plane(2, 3, 512).span_bytes() == 2 * 512 + 8);
  CHECK(!why_invalid(plane(2, 2, 7)).empty());
  CHECK(!why_invalid(plane(0, 2, 8)).empty());
  CHECK(!why_invalid(plane(0xFFFFFFFF, 1, std::uint64_t{1} << 62U)).empty());
  Texture deep = plane(1U << 28U, 1U << 28U, std::uint64_t{1} << 40U);
  CHECK(!why_invalid(deep).empty());
  Texture integers = line_of_bytes(ChannelKind::unsigned_integer);
  integers.filter = Filter::linear;
  CHECK(!why_invalid(integers).empty());
  integers.read_mode = ReadMode::normalised;
  CHECK(why_invalid(integers).empty());
  for (int fill = 0; fill < 256; ++fill) {
    Texture garbage;
    std::memset(static_cast<void*>(&garbage), fill, sizeof garbage);
    INFO("bytes of " << fill);
    CHECK(!why_invalid(garbage).empty());
  }
}
