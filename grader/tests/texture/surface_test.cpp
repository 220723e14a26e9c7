// The location of an access to a surface: PTX ISA 9.7.12 (suld, sust) and the guide's "Surface Functions".

#include "vgpu/texture/surface.hpp"

#include <limits>

#include "catch.hpp"

using namespace vgpu::texture;

namespace {

/// 5 × 3 × 2 texels of 4 bytes, rows 32 bytes apart.
Texture volume() {
  Texture array{.pitch = 32};
  array.extent = {5, 3, 2};
  array.dimensions = 3;
  return array;
}

/// 3 texels of 4 bytes in each of 4 layers.
Texture layered_line() {
  Texture array{.pitch = 16};
  array.extent = {3, 1, 1};
  array.layers = 4;
  return array;
}

constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kFarBefore = std::numeric_limits<std::int32_t>::min();

}  // namespace

TEST_CASE("x counts bytes, y and z rows and slices") {
  const Texture array = volume();
  CHECK(offset_in(array, {{0, 0, 0}}, 4) == 0U);
  CHECK(offset_in(array, {{7, 0, 0}}, 1) == 7U);
  CHECK(offset_in(array, {{16, 2, 1}}, 4) == 16U + 2 * 32 + 3 * 32);
}

TEST_CASE("an access is inside a surface if all of its bytes are") {
  const Texture array = volume();
  CHECK(offset_in(array, {{19, 0, 0}}, 1).has_value());
  CHECK_FALSE(offset_in(array, {{20, 0, 0}}, 1).has_value());  // the row's padding is not part of the row
  CHECK(offset_in(array, {{12, 0, 0}}, 8).has_value());
  CHECK_FALSE(offset_in(array, {{16, 0, 0}}, 8).has_value());
  CHECK_FALSE(offset_in(array, {{-1, 0, 0}}, 1).has_value());
  for (const std::int32_t beyond : {-1, 3, kFar, kFarBefore})
    CHECK_FALSE(offset_in(array, {{0, beyond, 0}}, 4).has_value());
  for (const std::int32_t beyond : {-1, 2, kFar, kFarBefore})
    CHECK_FALSE(offset_in(array, {{0, 0, beyond}}, 4).has_value());
  for (const std::int32_t beyond : {kFar, kFarBefore})
    CHECK_FALSE(offset_in(array, {{beyond, 0, 0}}, 16).has_value());
}

TEST_CASE("layers follow one another") {
  const Texture array = layered_line();
  CHECK(offset_in(array, {{8}, 3}, 4) == 8U + 3 * 16);
  CHECK_FALSE(offset_in(array, {{8}, 4}, 4).has_value());
  CHECK_FALSE(offset_in(array, {{8}, 0xFFFFFFFFU}, 4).has_value());
}

TEST_CASE("clamping moves an access to the nearest valid position of its size") {
  const Texture array = volume();
  const auto moved = [&](SurfacePlace place, std::uint32_t bytes) { return clamped(array, place, bytes).at; };
  using At = std::array<std::int32_t, kMaxDimensions>;
  CHECK(moved({{4, 1, 1}}, 4) == At{4, 1, 1});
  CHECK(moved({{-3, -1, kFarBefore}}, 4) == At{0, 0, 0});
  CHECK(moved({{20, 3, kFar}}, 4) == At{16, 2, 1});
  // Rows of 20 bytes hold two accesses of 8 bytes, and 4 bytes more.
  CHECK(moved({{kFar, 0, 0}}, 8) == At{8, 0, 0});
  CHECK(moved({{16, 0, 0}}, 8) == At{8, 0, 0});
  CHECK(moved({{3, 0, 0}}, 4) == At{3, 0, 0});  // inside, though misaligned
  CHECK(clamped(layered_line(), {{0}, 9}, 4).layer == 3);
}

TEST_CASE("rows that are shorter than the access have no valid position") {
  const Texture array = layered_line();
  CHECK_FALSE(offset_in(array, clamped(array, {{0}, 0}, 16), 16).has_value());
}

TEST_CASE("the text names the coordinate that is outside") {
  const Texture array = volume();
  CHECK(why_outside(array, {{20, 9, 0}}, 4) == "x is bytes 20 to 23, but a row has bytes 0 to 19");
  CHECK(why_outside(array, {{-1, 0, 0}}, 1) == "x is byte -1, but a row has bytes 0 to 19");
  CHECK(why_outside(array, {{0, 3, 0}}, 4) == "y is 3, but the valid range is 0 to 2");
  CHECK(why_outside(array, {{0, 0, -1}}, 4) == "z is -1, but the valid range is 0 to 1");
  CHECK(why_outside(layered_line(), {{0}, 4}, 4) == "the layer is 4, but the valid range is 0 to 3");
}
