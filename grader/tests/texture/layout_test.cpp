// Which texels share a sector and a line. The shapes are those that Nsight Compute's counts show on an H200.

#include "vgpu/texture/layout.hpp"

#include <set>

#include "catch.hpp"

using vgpu::texture::Place;
using vgpu::texture::Resource;
using vgpu::texture::Texture;

namespace {

constexpr std::uint64_t kSector = 32, kLine = 128;

Texture floats(Resource resource, std::uint32_t width, std::uint32_t height, std::uint32_t depth = 1) {
  Texture texture{.address = 4096, .pitch = width * 4, .extent = {width, height, depth}};
  texture.dimensions = depth > 1 ? 3 : height > 1 ? 2 : 1;
  texture.resource = resource;
  return texture;
}

/// The number of different pieces of `bytes` in a box of texels at the origin.
std::size_t pieces(const Texture& texture, std::uint64_t bytes, std::uint64_t columns, std::uint64_t rows,
                   std::uint64_t slices = 1) {
  std::set<std::uint64_t> all;
  for (std::uint64_t z = 0; z < slices; ++z)
    for (std::uint64_t y = 0; y < rows; ++y)
      for (std::uint64_t x = 0; x < columns; ++x) all.insert(stored_at(texture, {x * 4, y, z}) / bytes);
  return all.size();
}

}  // namespace

TEST_CASE("a sector of an array holds 16 bytes of two rows, a line 32 bytes of four") {
  const Texture image = floats(Resource::array, 64, 64);
  CHECK(pieces(image, kSector, 4, 2) == 1);
  CHECK(pieces(image, kSector, 5, 1) == 2);
  CHECK(pieces(image, kSector, 1, 3) == 2);
  CHECK(pieces(image, kSector, 32, 1) == 8);
  CHECK(pieces(image, kSector, 1, 32) == 16);
  CHECK(pieces(image, kSector, 8, 4) == 4);
  CHECK(pieces(image, kLine, 8, 4) == 1);
  CHECK(pieces(image, kLine, 9, 1) == 2);
  CHECK(pieces(image, kLine, 1, 5) == 2);
}

TEST_CASE("each slice of a volume has its own tiles, and the second row of an array of one row is empty") {
  CHECK(pieces(floats(Resource::array, 64, 64, 4), kSector, 1, 1, 4) == 4);
  CHECK(pieces(floats(Resource::array, 64, 1), kSector, 32, 1) == 8);
}

TEST_CASE("linear and pitched memory is stored row by row") {
  for (const Resource resource : {Resource::linear, Resource::pitched}) {
    const Texture image = floats(resource, 64, resource == Resource::linear ? 1 : 64);
    CHECK(pieces(image, kSector, 32, 1) == 4);
    CHECK(stored_at(image, {12, 0, 0}) == 4096 + 12);
  }
  CHECK(stored_at(floats(Resource::pitched, 64, 64), {4, 3, 0}) == 4096 + 3 * 256 + 4);
}

TEST_CASE("no two places of an array are stored at one address") {
  const Texture image = floats(Resource::array, 21, 19, 3);
  std::set<std::uint64_t> all;
  for (std::uint64_t z = 0; z < 3; ++z)
    for (std::uint64_t y = 0; y < 19; ++y)
      for (std::uint64_t x = 0; x < 84; ++x) all.insert(stored_at(image, {x, y, z}));
  CHECK(all.size() == 84 * 19 * 3);
  CHECK(*all.begin() == image.address);
}
