#include "pages/distribution.hpp"

#include <numeric>

#include "catch.hpp"

namespace distribution_test {

using namespace grader::pages;

std::vector<std::size_t> counts(const std::vector<Bin>& bins) {
  std::vector<std::size_t> all;
  for (const Bin& bin : bins) all.push_back(bin.count);
  return all;
}

TEST_CASE("a value on a bound belongs to the upper bin, and the greatest value to the last") {
  CHECK(counts(histogram({0, 9.99, 10, 95, 100}, 100, 10)) ==
        std::vector<std::size_t>{2, 1, 0, 0, 0, 0, 0, 0, 0, 2});
}

TEST_CASE("bins have round bounds and contain every value") {
  CHECK(round_histogram({}).empty());
  for (const double most : {0.0, 0.3, 1.0, 3.17, 12.0, 13.0, 599.0, 1e6}) {
    const auto bins = round_histogram({0, most / 3, most});
    INFO("values up to " << most);
    CHECK(bins.size() >= 5);
    CHECK(bins.size() <= 12);
    CHECK(bins.back().to >= most);
    const auto all = counts(bins);
    CHECK(std::accumulate(all.begin(), all.end(), std::size_t{0}) == 3);
  }
  const auto bins = round_histogram({3.17, 0.2});
  CHECK(bins.size() == 7);
  CHECK(bins[1].from == Approx(0.5));
}

}  // namespace distribution_test
