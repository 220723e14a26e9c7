// Marks of the granules that were read.
#include "vgpu/races/read_map.hpp"

#include <utility>

#include "catch.hpp"

namespace read_map_test {

namespace {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Neighbours joined.
Ranges ranges_of(const vgpu::ReadMap& map) {
  Ranges all;
  map.for_ranges([&](std::uint64_t first, std::uint64_t count) {
    if (!all.empty() && all.back().first + all.back().second == first)
      all.back().second += count;
    else
      all.emplace_back(first, count);
    return true;
  });
  return all;
}

}  // namespace

TEST_CASE("the ranges of a map are what was marked, in any order, in words and across pages") {
  vgpu::ReadMap map;
  map.mark(4090, 64);
  map.mark(60, 8);
  map.mark(0, 64);
  map.mark(1 << 20, 1);
  map.mark(60, 8);
  CHECK(ranges_of(map) == Ranges{{0, 68}, {4090, 64}, {1 << 20, 1}});
}

TEST_CASE("the sum of two maps has the marks of both") {
  vgpu::ReadMap one, other;
  one.mark(100, 10);
  other.mark(110, 10);
  other.mark(9000, 2);
  one.add(other);
  one.add(other);
  CHECK(ranges_of(one) == Ranges{{100, 20}, {9000, 2}});
}

}  // namespace read_map_test
