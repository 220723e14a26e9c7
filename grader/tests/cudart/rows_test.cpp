// Boxes of rows: geometry from a program, and copies of boxes in device memory.

#include "vgpu/cudart/device_side/rows.hpp"

#include "catch.hpp"

namespace rows_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kHuge = ~std::uint64_t{0};

std::vector<std::byte> numbers(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

}  // namespace

TEST_CASE("the span of a box extends from its first to its last byte") {
  CHECK(span_of({0, 10, 4}, {3, 2, 1}) == 13);
  CHECK(span_of({0, 10, 4}, {3, 2, 2}) == 53);
  CHECK(span_of({0, 0, 0}, {3, 1, 1}) == 3);
  CHECK_FALSE(span_of({0, 2, 4}, {3, 2, 1}));   // rows overlap
  CHECK_FALSE(span_of({0, 10, 1}, {3, 2, 2}));  // slices overlap
}

TEST_CASE("geometry of any size is handled or refused") {
  CHECK(bytes_of({0, kHuge, kHuge}) == 0);
  CHECK_FALSE(bytes_of({kHuge, kHuge, kHuge}));
  CHECK_FALSE(bytes_of({2, kHuge / 2, 1}));
  CHECK_FALSE(span_of({0, kHuge, kHuge}, {1, kHuge, kHuge}));
  CHECK_FALSE(span_of({0, kHuge, 1}, {1, 2, 1}));
  CHECK_FALSE(span_of({0, 1, kHuge}, {1, 1, 3}));
}

TEST_CASE("rows move whole sectors of DRAM, and rows without a gap are one") {
  const auto bytes = [](Rows rows, Box box) { return dram_bytes_of(rows, box); };
  CHECK(bytes({0, 4}, {4, 16}) == 64);
  CHECK(bytes({0, 12}, {4, 16}) == 16 * 32);
  CHECK(bytes({28, 64}, {8, 2}) == 4 * 32);
  CHECK(bytes({0, 64, 4}, {64, 4, 3}) == 64 * 12);
  CHECK(bytes({5, 8}, {0, 16}) == 0);
}

TEST_CASE("rows are written, copied, filled and read without the bytes between them") {
  Device device(lecture_profile());
  const auto place = device.allocate(64);
  REQUIRE(place);
  const Rows rows{*place + 1, 8, 3};
  const Box box{3, 2, 2};
  REQUIRE(holds(device, rows, box));
  CHECK_FALSE(holds(device, {*place + 40, 8, 3}, box));
  device.fill(*place, std::byte{0xEE}, 64);
  write_rows(device, rows, box, numbers(12));
  std::vector<std::byte> whole(64), back(12);
  device.read(*place, whole);
  CHECK(whole[0] == std::byte{0xEE});
  CHECK(whole[1] == std::byte{0});
  CHECK(whole[4] == std::byte{0xEE});
  CHECK(whole[9] == std::byte{3});
  CHECK(whole[25] == std::byte{6});
  const auto other = device.allocate(12);
  copy_rows(device, {*other, 3, 2}, rows, box);
  read_rows(device, {*other, 3, 2}, box, back);
  CHECK(back == numbers(12));
  fill_rows(device, rows, {2, 2, 2}, 0x0201, 2);
  read_rows(device, rows, box, back);
  CHECK(back[0] == std::byte{1});
  CHECK(back[1] == std::byte{2});
  CHECK(back[2] == std::byte{2});  // after the two filled bytes
}

}  // namespace rows_test
