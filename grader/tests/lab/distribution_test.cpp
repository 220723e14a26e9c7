#include "lab/distribution.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"

namespace distribution_test {

namespace {

using grader::random_values;
using grader::SplitMix64;

constexpr std::size_t kMany = 20'000;

std::vector<float> many(const std::string& distribution) {
  SplitMix64 random(9);
  return random_values(kMany, distribution, random);
}

TEST_CASE("uniform values fill -1 to 1, without 1") {
  const auto values = many("uniform");
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  CHECK((*low >= -1.0F && *low < -0.99F));
  CHECK((*high < 1.0F && *high > 0.99F));
}

TEST_CASE("integer values are all of -8 to 8") {
  const auto values = many("integers");
  for (int wanted = -8; wanted <= 8; ++wanted)
    CHECK(std::count(values.begin(), values.end(), static_cast<float>(wanted)) > 0);
  CHECK(std::all_of(values.begin(), values.end(),
                    [](float v) { return std::round(v) == v && std::abs(v) <= 8; }));
}

TEST_CASE("mixed values have either sign and magnitudes over twenty binades") {
  const auto values = many("mixed");
  int seen[21] = {};
  for (const float value : values) {
    REQUIRE((std::abs(value) >= 0x1p-10F && std::abs(value) <= 0x1p10F));
    ++seen[std::ilogb(value) + 10];
  }
  for (int binade = 0; binade < 20; ++binade) CHECK(seen[binade] > 0);
  CHECK(std::any_of(values.begin(), values.end(), [](float v) { return v < 0; }));
}

TEST_CASE("positive and negative values are never 0") {
  const auto positive = many("positive"), negative = many("negative");
  CHECK(std::all_of(positive.begin(), positive.end(), [](float v) { return v > 0 && v <= 1; }));
  CHECK(std::all_of(negative.begin(), negative.end(), [](float v) { return v < 0 && v >= -1; }));
}

TEST_CASE("values that are not positive include -0 and no other 0") {
  const auto values = many("nonpositive");
  CHECK(std::count(values.begin(), values.end(), 0.0F) > 0);
  CHECK(std::all_of(values.begin(), values.end(), [](float v) { return std::signbit(v) && v >= -8; }));
}

TEST_CASE("large, huge, vast, tiny and faint values stay in their binades") {
  const auto large = many("large"), huge = many("huge"), vast = many("vast"), tiny = many("tiny"),
             faint = many("faint");
  const auto within = [](const std::vector<float>& values, float low, float high) {
    return std::all_of(values.begin(), values.end(),
                       [&](float v) { return std::abs(v) >= low && std::abs(v) <= high; });
  };
  CHECK(within(large, 0x1p20F, 0x1p40F));
  CHECK(within(huge, 0x1p108F, std::numeric_limits<float>::max()));
  CHECK(within(vast, 0x1p100F, 0x1p120F));
  CHECK(within(tiny, 0x1p-40F, 0x1p-20F));
  CHECK(within(faint, 0x1p-70F, 0x1p-50F));
  std::size_t subnormal = 0;
  for (std::size_t i = 0; i + 1 < faint.size(); i += 2)
    subnormal += std::fpclassify(faint[i] * faint[i + 1]) == FP_SUBNORMAL ? 1U : 0U;
  CHECK(subnormal > faint.size() / 12);
  CHECK(subnormal < faint.size() / 6);
}

TEST_CASE("subnormal values have either sign, and are neither normal nor 0") {
  const auto values = many("subnormal");
  CHECK(
      std::all_of(values.begin(), values.end(), [](float v) { return std::fpclassify(v) == FP_SUBNORMAL; }));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  CHECK((*low < -0x1p-127F && *high > 0x1p-127F));
}

TEST_CASE("equal and sorted values are equal and sorted") {
  const auto equal = many("equal"), ascending = many("ascending"), descending = many("descending");
  CHECK(std::count(equal.begin(), equal.end(), equal.front()) == kMany);
  CHECK(std::is_sorted(ascending.begin(), ascending.end()));
  CHECK(std::is_sorted(descending.rbegin(), descending.rend()));
  CHECK(ascending.front() < ascending.back());
}

TEST_CASE("few values are outliers") {
  const auto values = many("outliers");
  const auto outliers =
      std::count_if(values.begin(), values.end(), [](float v) { return std::abs(v) >= 0x1p20F; });
  CHECK(outliers > std::ptrdiff_t{kMany} / 40);
  CHECK(outliers < std::ptrdiff_t{kMany} / 25);
  CHECK(std::count_if(values.begin(), values.end(), [](float v) { return std::abs(v) <= 1; }) ==
        std::ptrdiff_t{kMany} - outliers);
}

TEST_CASE("cancelling values have a sum that is small compared with them") {
  const auto values = many("cancelling");
  double sum = 0, magnitudes = 0;
  for (const float value : values) {
    sum += value;
    magnitudes += std::abs(value);
  }
  CHECK(std::abs(sum) < 1e-3 * magnitudes);
}

TEST_CASE("the same seed always gives the same values") {
  SplitMix64 random(1);
  const auto values = random_values(3, "uniform", random);
  CHECK(values == std::vector<float>{0x1.10a2dp-3F, 0x1.f75c68p-2F, 0x1.e24e88p-1F});
}

}  // namespace

}  // namespace distribution_test
