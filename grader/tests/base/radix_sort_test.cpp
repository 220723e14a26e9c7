#include "base/radix_sort.hpp"

#include <utility>

#include "base/random.hpp"
#include "catch.hpp"

namespace radix_sort_test {

using grader::radix_sort;
using Entries = std::vector<std::pair<std::uint32_t, std::size_t>>;  ///< key, place

TEST_CASE("a radix sort orders by key and keeps the order of equal keys") {
  for (const std::size_t size : {0, 1, 2, 100, 2047, 2048, 5000, 70'000}) {
    grader::SplitMix64 random(size);
    Entries entries;
    for (std::size_t i = 0; i < size; ++i) {
      auto key = static_cast<std::uint32_t>(random());
      if (i % 3 == 0) key &= 0xFF0000FFU;  // many equal ones, which differ in the first and last digit only
      if (i % 97 == 0) key = ~0U;
      entries.emplace_back(key, i);
    }
    Entries expected = entries;
    std::sort(expected.begin(), expected.end());  // pairs: equal keys by place
    radix_sort(entries, [](const auto& entry) { return entry.first; });
    CHECK(entries == expected);
  }
}

TEST_CASE("keys of floats are ordered as the floats are") {
  const std::vector<float> ascending = {-1e30F, -2, -1, -1e-40F, -0.0F, 0, 1e-40F, 0.5F, 1, 3e38F};
  for (std::size_t i = 1; i < ascending.size(); ++i)
    CHECK(grader::sort_key(ascending[i - 1]) < grader::sort_key(ascending[i]));
}

}  // namespace radix_sort_test
