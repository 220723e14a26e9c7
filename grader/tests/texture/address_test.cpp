// Which texels a coordinate selects: the examples and formulas of the CUDA Programming Guide, appendix
// "Texture Fetching".

#include "vgpu/texture/address.hpp"

#include <limits>

#include "catch.hpp"

using namespace vgpu::texture;

namespace {

Axis axis(AddressMode mode, Coordinates coordinates = Coordinates::texels, std::uint32_t extent = 4) {
  return {extent, mode, coordinates};
}

void check_linear(const Axis& along, double x, std::int64_t first, std::int64_t second,
                  std::uint32_t weight) {
  INFO("x = " << x);
  const Neighbours found = linear_texels(along, x);
  CHECK(found.texel[0] == first);
  CHECK(found.texel[1] == second);
  CHECK(found.second == weight);
}

}  // namespace

TEST_CASE("texels are numbered by whole coordinates, and coordinates outside are clamped") {
  const Axis along = axis(AddressMode::clamp);
  CHECK(point_texel(along, 0) == 0);
  CHECK(point_texel(along, 0.999) == 0);
  CHECK(point_texel(along, 3) == 3);
  CHECK(point_texel(along, -0.001) == 0);
  CHECK(point_texel(along, 4) == 3);
}

TEST_CASE("coordinates outside the texture select the border") {
  const Axis along = axis(AddressMode::border);
  CHECK(point_texel(along, -0.001) == kBorder);
  CHECK(point_texel(along, 0) == 0);
  CHECK(point_texel(along, 3.999) == 3);
  CHECK(point_texel(along, 4) == kBorder);
}

TEST_CASE("wrap repeats the texture, mirror reverses every other repetition") {
  const Axis wrapped = axis(AddressMode::wrap, Coordinates::normalised);
  const Axis mirrored = axis(AddressMode::mirror, Coordinates::normalised);
  CHECK(point_texel(wrapped, 0.25) == 1);
  CHECK(point_texel(wrapped, 1.25) == 1);
  CHECK(point_texel(wrapped, -0.25) == 3);
  CHECK(point_texel(mirrored, 0.25) == 1);
  CHECK(point_texel(mirrored, 1.2) == 3);
  CHECK(point_texel(mirrored, 1.25) == 3);  // 1 - frac(1.25) = 0.75
  CHECK(point_texel(mirrored, 1) == 3);     // 1 - 0 is outside the texture; clamped to the last texel
  CHECK(point_texel(mirrored, -0.25) == 1);
  CHECK(point_texel(mirrored, 2.25) == 1);
}

TEST_CASE("wrap and mirror act as clamp for coordinates that are not normalised") {
  CHECK(point_texel(axis(AddressMode::wrap), 5) == 3);
  CHECK(point_texel(axis(AddressMode::mirror), -1) == 0);
  CHECK(numbered_texel(axis(AddressMode::wrap), 7) == 3);
}

TEST_CASE("any coordinate is valid, however large, also NaN") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const AddressMode mode :
       {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
    for (const Coordinates coordinates : {Coordinates::texels, Coordinates::normalised}) {
      for (const std::uint32_t extent : {1U, 4U, 1U << 28U}) {
        for (const double x :
             {kInfinity, -kInfinity, 3e38, -3e38, 1e-45, -1e-45, std::numeric_limits<double>::quiet_NaN()}) {
          const Axis along = axis(mode, coordinates, extent);
          const auto in_texture = [&](std::int64_t texel) {
            return texel < std::int64_t{extent} &&
                   (texel >= 0 || (texel == kBorder && mode == AddressMode::border));
          };
          CHECK(in_texture(point_texel(along, x)));
          const Neighbours found = linear_texels(along, x);
          CHECK(in_texture(found.texel[0]));
          CHECK(in_texture(found.texel[1]));
          CHECK(found.second <= 256);
        }
      }
    }
  }
  CHECK(point_texel(axis(AddressMode::clamp), std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("linear filtering has weights in 256ths, measured from the centres of texels") {
  const Axis along = axis(AddressMode::clamp);
  check_linear(along, 0.5, 0, 1, 0);
  check_linear(along, 1, 0, 1, 128);
  check_linear(along, 1.5, 1, 2, 0);
  check_linear(along, 0, 0, 0, 128);
  check_linear(along, 4, 3, 3, 128);
  check_linear(along, 1.5 + 1.0 / 256, 1, 2, 1);
  check_linear(along, 1.5 + 0.4 / 256, 1, 2, 0);
  check_linear(along, 1.5 + 0.5 / 256, 1, 2, 1);
  check_linear(along, 2.5 - 0.1 / 256, 1, 2, 256);  // 1.0 is exactly represented
}

TEST_CASE("linear filtering uses the address mode at the edges") {
  check_linear(axis(AddressMode::border), 0, kBorder, 0, 128);
  check_linear(axis(AddressMode::border), 4, 3, kBorder, 128);
  check_linear(axis(AddressMode::wrap, Coordinates::normalised), 0, 3, 0, 128);
  check_linear(axis(AddressMode::mirror, Coordinates::normalised), 0, 0, 0, 128);
  check_linear(axis(AddressMode::wrap, Coordinates::normalised), 0.25, 0, 1, 128);
}
