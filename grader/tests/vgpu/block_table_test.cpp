// The table has the values that were added since it was emptied, as a standard map.
#include "vgpu/state/block_table.hpp"

#include <random>
#include <unordered_map>

#include "catch.hpp"

namespace block_table_test {

TEST_CASE("a table of a block has the values that were added since it was cleared") {
  std::mt19937_64 random(1);
  vgpu::BlockTable<std::uint64_t> table;
  for (unsigned block = 0; block < 40; ++block) {
    INFO(block);
    table.clear();
    std::unordered_map<std::uint64_t, std::uint64_t> expected;
    const std::uint64_t stride = std::uint64_t{1} << random() % 32;  // numbers are often far apart
    const std::size_t accesses = random() % 3000;
    for (std::size_t i = 0; i < accesses; ++i) {
      const std::uint64_t number = random() % 1000 * stride;
      const std::uint64_t* known = table.find(number);
      const auto wanted = expected.find(number);
      REQUIRE((known != nullptr) == (wanted != expected.end()));
      if (known != nullptr) {
        REQUIRE(*known == wanted->second);
      } else {
        table.add(number, i);
        expected.emplace(number, i);
      }
    }
  }
}

}  // namespace block_table_test
