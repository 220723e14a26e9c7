// Copies that rearrange data in small pieces, and copies that do not.
#include "vgpu/cudart/device_side/small_pieces.hpp"

#include "catch.hpp"

namespace small_pieces_test {

using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kIn = 0x10000, kOut = 0x20000;

Rows at(std::uint64_t address, std::uint64_t pitch = 0) { return {address, pitch, 0}; }

}  // namespace

TEST_CASE("rows become columns: the copies interleave") {
  SmallPieces pieces;
  for (std::uint64_t row = 0; row < 8; ++row)
    pieces.add(at(kOut + 4 * row, 32), at(kIn + 64 * row, 4), {4, 16});
  CHECK(pieces.count() == 8 * 16);
}

TEST_CASE("structures are taken apart: the copies interleave at their source") {
  SmallPieces pieces;
  for (std::uint64_t part = 0; part < 3; ++part)
    pieces.add(at(kOut + 0x1000 * part, 4), at(kIn + 4 * part, 12), {4, 100});
  CHECK(pieces.count() == 300);
}

TEST_CASE("single elements count one by one") {
  SmallPieces pieces;
  for (std::uint64_t i = 0; i < 10; ++i) pieces.add(at(kOut + 64 * i), at(kIn + 4 * i), {4});
  CHECK(pieces.count() == 10);
}

TEST_CASE("single elements that pass through the same buffers, or follow one another, count once") {
  SmallPieces pieces;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t stream = i % 2;
    pieces.add(at(kOut + 0x1000 * stream), at(kIn + 0x1000 * stream), {4});
  }
  CHECK(pieces.count() == 2);
  for (std::uint64_t i = 0; i < 100; ++i)
    pieces.add(at(kOut + 0x10000 + 4 * i), at(kIn + 0x10000 + 4 * i), {4});
  CHECK(pieces.count() == 3);
}

TEST_CASE("elements that are gathered, or in reverse order, count one by one") {
  SmallPieces pieces;
  for (std::uint64_t i = 0; i < 10; ++i) pieces.add(at(kOut + 4 * i), at(kIn + 4000 - 4 * i), {4});
  CHECK(pieces.count() == 10);
  for (std::uint64_t i = 0; i < 10; ++i) pieces.add(at(kOut), at(kIn + 0x10000 + 4 * i), {4});
  CHECK(pieces.count() == 20);
}

TEST_CASE("padding, removing it, whole rows and repeated copies do not count") {
  SmallPieces pieces;
  for (int round = 0; round < 3; ++round) {
    pieces.add(at(kOut, 256), at(kIn, 4), {4, 1000});
    pieces.add(at(kIn, 4), at(kOut, 256), {4, 1000});
    pieces.add(at(kOut + 0x100000, 256), at(kIn + 0x100000, 12), {12, 300});
  }
  for (std::uint64_t row = 0; row < 8; ++row) pieces.add(at(kOut + 32 * row, 512), at(kIn, 64), {32, 16});
  pieces.add(at(kOut, 256), at(kIn + 1, 4), {0, 1000});
  CHECK(pieces.count() == 0);
}

TEST_CASE("more copies than are remembered count as interleaved") {
  SmallPieces pieces;
  for (std::uint64_t i = 0; i < 1030; ++i) pieces.add(at(kOut + 1024 * i, 64), at(kIn + 1024 * i, 4), {4, 2});
  CHECK(pieces.count() == 12);
}

}  // namespace small_pieces_test
