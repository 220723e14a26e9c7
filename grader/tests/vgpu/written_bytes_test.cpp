// WrittenBytes against a plain array of flags.
#include "vgpu/state/written_bytes.hpp"

#include <random>
#include <vector>

#include "catch.hpp"
#include "vgpu/state/global_memory.hpp"

namespace written_bytes_test {

using vgpu::exec::GlobalMemory;
using vgpu::exec::Purpose;
using vgpu::exec::WrittenBytes;

namespace {

constexpr std::size_t kSize = 1003;

std::uint32_t missing_in(const std::vector<bool>& expected, std::size_t offset, std::size_t size) {
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < size; ++i) missing |= (expected[offset + i] ? 0U : 1U) << i;
  return missing;
}

}  // namespace

TEST_CASE("gaps are unwritten bytes, without short ones between written bytes") {
  WrittenBytes written;
  written.begin(kSize);
  CHECK(written.gaps(3, 5).first == 3);
  CHECK(written.gaps(3, 5).bytes == 5);  // no byte is written
  written.mark(0, 100);
  written.mark(115, 5);  // after a gap of 15
  CHECK(written.gaps(0, 120).bytes == 0);
  written.mark(136, 300);  // after a gap of 16
  CHECK(written.gaps(0, 436).first == 120);
  CHECK(written.gaps(0, 436).bytes == 16);
  CHECK(written.gaps(0, kSize).bytes == 16 + (kSize - 436));
  CHECK(written.gaps(120, 16).bytes == 16);
  CHECK(written.gaps(90, 20).bytes == 0);
  written.mark_all();
  CHECK(written.gaps(0, kSize).bytes == 0);
}

TEST_CASE("memory that was written in parts is written as a whole, until a byte is forgotten") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{256}, std::size_t{1024}, kSize}) {
    INFO(size);
    WrittenBytes written;
    written.begin(size);
    for (std::size_t at = size; at > 0; --at) {
      CHECK_FALSE(written.are_all());
      written.mark(at - 1, 1);
    }
    CHECK(written.are_all());
    written.forget(size / 2, 1, size);
    CHECK_FALSE(written.are_all());
    written.mark(size / 2, 1);
    CHECK(written.are_all());
  }
}

TEST_CASE("every byte that was marked and not forgotten is written, and no other") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return random() % end; };
  WrittenBytes written;
  written.begin(kSize);
  std::vector<bool> expected(kSize);
  for (int round = 0; round < 4000; ++round) {
    const std::size_t offset = below(kSize);
    const std::size_t size = 1 + below(std::min<std::size_t>(kSize - offset, round % 7 == 0 ? 300 : 9));
    const bool forgets = round % 3 == 0;
    if (forgets) {
      written.forget(offset, size, kSize);
    } else {
      written.mark(offset, size);
    }
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), size, !forgets);
    const std::size_t at = below(kSize - WrittenBytes::kMaskBytes);
    const std::size_t count = 1 + below(WrittenBytes::kMaskBytes);
    const std::uint32_t missing = missing_in(expected, at, count);
    REQUIRE(written.missing(at, count) == missing);
    REQUIRE(written.has(at, count) == (missing == 0));
  }
}

TEST_CASE("all bytes of memory that is not tracked or marked as a whole are written") {
  WrittenBytes written;
  CHECK(written.are_all());
  CHECK(written.has(5, 100));
  written.begin(kSize);
  CHECK_FALSE(written.has(5, 1));
  written.mark_all();
  CHECK(written.missing(8, 32) == 0);
  written.forget(9, 2, kSize);
  CHECK(written.missing(8, 32) == 0b110);
}

TEST_CASE("a copy within the device copies which bytes are written") {
  GlobalMemory memory(4096, true);
  const std::uint64_t from = memory.allocate(256, Purpose::heap), to = memory.allocate(256, Purpose::heap);
  memory.mark_written(from, 70);
  memory.mark_written(from + 71, 100);
  memory.mark_written(to, 200);
  memory.copy_written(to + 1, from + 3, 180);
  for (std::uint64_t i = 0; i < 180; ++i) {
    INFO(i);
    REQUIRE(memory.is_written(to + 1 + i, 1) == memory.is_written(from + 3 + i, 1));
  }
  CHECK(memory.is_written(to, 1));
  CHECK(memory.is_written(to + 181, 19));
}

}  // namespace written_bytes_test
