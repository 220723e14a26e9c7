// The sector cache alone: hits and evictions.
#include "vgpu/model/cache.hpp"

#include "catch.hpp"

using vgpu::kCacheLineBytes;
using vgpu::SectorCache;

TEST_CASE("a sector hits after it was read, its neighbours in the line do not") {
  SectorCache cache(4 * kCacheLineBytes);
  CHECK(cache.read(7, 0b0011) == 0);
  CHECK(cache.read(7, 0b0110) == 0b0010);
  CHECK(cache.read(7, 0b1111) == 0b0111);
  cache.clear();
  CHECK(cache.read(7, 0b1111) == 0);
}

TEST_CASE("the least recently used line is evicted first") {
  SectorCache cache(4 * kCacheLineBytes);
  for (std::uint64_t line = 0; line < 4; ++line) cache.read(line, 1);
  cache.read(0, 1);
  cache.read(99, 1);  // replaces line 1
  CHECK(cache.read(0, 1) == 1);
  CHECK(cache.read(2, 1) == 1);
  CHECK(cache.read(1, 1) == 0);
}

TEST_CASE("a range as large as the cache stays in it, from any start address") {
  constexpr std::uint64_t kLines = 2048;
  for (const std::uint64_t start : {0U, 5U * 2048U}) {
    SectorCache cache(kLines * kCacheLineBytes);
    for (std::uint64_t line = 0; line < kLines; ++line) cache.read(start + line, 0xF);
    std::uint64_t found = 0;
    for (std::uint64_t line = 0; line < kLines; ++line) found += cache.read(start + line, 1);
    CHECK(found == kLines);
  }
}

TEST_CASE("the column of a matrix whose rows are a power of two spreads over the sets") {
  SectorCache cache(2048 * kCacheLineBytes);
  for (std::uint64_t row = 0; row < 512; ++row) cache.read(row * 64, 1);
  std::uint64_t found = 0;
  for (std::uint64_t row = 0; row < 512; ++row) found += cache.read(row * 64, 1);
  CHECK(found == 512);
}

TEST_CASE("dirty sectors are counted when their line is evicted, clean ones are not") {
  SectorCache cache(2 * kCacheLineBytes);
  cache.write(1, 0b0101);
  cache.read(2, 0b1111);
  cache.read(3, 1);
  CHECK(cache.evicted_dirty_sectors() == 2);
  cache.read(4, 1);
  CHECK(cache.evicted_dirty_sectors() == 2);
}

TEST_CASE("an update does not allocate a line") {
  SectorCache cache(4 * kCacheLineBytes);
  cache.update(5, 0xF);
  CHECK(cache.read(5, 0b0001) == 0);
  cache.update(5, 0b0010);
  CHECK(cache.read(5, 0b0011) == 0b0011);
}
