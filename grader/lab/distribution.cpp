#include "lab/distribution.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/radix_sort.hpp"

namespace grader {
namespace {

using Values = std::vector<float>;

float uniform(SplitMix64& random) { return random.signed_unit(); }

float positive(SplitMix64& random) { return 0x1p-24F * static_cast<float>(random.below(1U << 24U) + 1); }

float negative(SplitMix64& random) { return -positive(random); }

float nonpositive(SplitMix64& random) { return -static_cast<float>(random.below(9)); }

float integer(SplitMix64& random) { return static_cast<float>(random.below(17)) - 8.0F; }

/// Either sign; magnitudes in 20 binades that start at 2^lowest.
template <int lowest>
float spread(SplitMix64& random) {
  const int exponent = static_cast<int>(random.below(20)) + lowest;
  const float magnitude = std::ldexp(1.0F + random.unit(), exponent);
  return random.below(2) == 0 ? magnitude : -magnitude;
}

/// Multiples of the smallest float, 2^-149.
float subnormal(SplitMix64& random) {
  const auto multiple = static_cast<float>(random.below((1U << 23U) - 1) + 1);
  return std::ldexp(random.below(2) == 0 ? multiple : -multiple, -149);
}

constexpr auto mixed = spread<-10>;
constexpr auto large = spread<20>;
constexpr auto huge = spread<108>;
constexpr auto vast = spread<100>;
constexpr auto tiny = spread<-40>;
constexpr auto faint = spread<-70>;

float with_outliers(SplitMix64& random) { return random.below(32) == 0 ? large(random) : uniform(random); }

template <float (*draw)(SplitMix64&)>
void each(Values& values, SplitMix64& random) {
  for (float& value : values) value = draw(random);
}

void equal(Values& values, SplitMix64& random) { std::fill(values.begin(), values.end(), uniform(random)); }

void ascending(Values& values, SplitMix64& random) {
  each<uniform>(values, random);
  radix_sort(values, sort_key);
}

void descending(Values& values, SplitMix64& random) {
  each<uniform>(values, random);
  radix_sort(values, [](float value) { return ~sort_key(value); });
}

void cancelling(Values& values, SplitMix64& random) {
  constexpr std::size_t kTinyEvery = 8;
  float open = 0;  // the value that the next one cancels
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % kTinyEvery == kTinyEvery - 1) {
      values[i] = tiny(random);
    } else if (open != 0) {
      values[i] = -std::exchange(open, 0.0F);
    } else {
      values[i] = open = large(random);
    }
  }
}

using Fill = void (*)(Values&, SplitMix64&);

const std::vector<std::pair<std::string, Fill>>& fills() {
  using Fills = std::vector<std::pair<std::string, Fill>>;
  static const Fills all{{"uniform", each<uniform>},
                         {"positive", each<positive>},
                         {"negative", each<negative>},
                         {"nonpositive", each<nonpositive>},
                         {"integers", each<integer>},
                         {"mixed", each<mixed>},
                         {"large", each<large>},
                         {"huge", each<huge>},
                         {"vast", each<vast>},
                         {"tiny", each<tiny>},
                         {"faint", each<faint>},
                         {"subnormal", each<subnormal>},
                         {"equal", equal},
                         {"ascending", ascending},
                         {"descending", descending},
                         {"cancelling", cancelling},
                         {"outliers", each<with_outliers>},
                         {"infinite", each<positive>}};
  return all;
}

}  // namespace

const std::vector<std::string>& distributions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, fill] : fills()) all.push_back(name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& summable_distributions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = distributions();
    std::erase_if(
        all, [](const std::string& name) { return name == "huge" || name == "vast" || name == "infinite"; });
    return all;
  }();
  return names;
}

std::vector<float> random_values(std::size_t count, const std::string& distribution, SplitMix64& random) {
  const auto fill = std::find_if(fills().begin(), fills().end(),
                                 [&](const auto& one) { return one.first == distribution; });
  assert(fill != fills().end());
  std::vector<float> values(count);
  fill->second(values, random);
  return values;
}

}  // namespace grader
