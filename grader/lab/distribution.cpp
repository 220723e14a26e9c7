#include "lab/distribution.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace grader {
namespace {

using Draw = float (*)(SplitMix64&);

float uniform(SplitMix64& random) { return random.signed_unit(); }

float integer(SplitMix64& random) { return static_cast<float>(random.below(17)) - 8.0F; }

float mixed(SplitMix64& random) {
  const int exponent = static_cast<int>(random.below(20)) - 10;
  const float magnitude = std::ldexp(1.0F + random.unit(), exponent);
  return random.below(2) == 0 ? magnitude : -magnitude;
}

}  // namespace

const std::vector<std::string>& distributions() {
  static const std::vector<std::string> names{"uniform", "integers", "mixed"};
  return names;
}

std::vector<float> random_values(std::size_t count, const std::string& distribution, SplitMix64& random) {
  assert(std::count(distributions().begin(), distributions().end(), distribution) == 1);
  const Draw draw = distribution == "uniform" ? uniform : distribution == "integers" ? integer : mixed;
  std::vector<float> values(count);
  for (float& value : values) value = draw(random);
  return values;
}

}  // namespace grader
