// What the 16-bit and 8-bit floating-point formats mean, from the definition: the value of every bit pattern,
// and rounding by search among all values. Slow and plain on purpose.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace test {

struct SmallFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity = true;

  std::uint32_t sign() const { return 1U << (exponent_bits + mantissa_bits); }
  std::uint32_t nan() const { return sign() - 1; }
  /// Magnitudes below are numbers.
  std::uint32_t end_of_numbers() const { return has_infinity ? nan() & ~((1U << mantissa_bits) - 1) : nan(); }
};
inline constexpr SmallFormat kF16{5, 10}, kBf16{8, 7}, kE5m2{5, 2}, kE4m3{4, 3, false}, kTf32{8, 10};

inline long double value_of(SmallFormat f, std::uint32_t bits) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const std::uint32_t magnitude = bits & (f.sign() - 1);
  const long double sign = (bits & f.sign()) != 0 ? -1 : 1;
  if (f.has_infinity && magnitude == f.end_of_numbers())
    return sign * std::numeric_limits<long double>::infinity();
  if (magnitude >= f.end_of_numbers()) return std::numeric_limits<long double>::quiet_NaN();
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const auto mantissa = static_cast<long double>(magnitude & ((1U << f.mantissa_bits) - 1));
  const long double one = std::ldexp(1.0L, f.mantissa_bits);
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - f.mantissa_bits);
  return sign * std::ldexp(one + mantissa, exponent - bias - f.mantissa_bits);
}

enum class Mode { nearest, away, zero, down, up };

inline std::uint32_t round_to(SmallFormat f, long double exact, Mode mode = Mode::nearest,
                              bool saturates = false) {
  if (std::isnan(exact)) return f.nan();
  const bool negative = std::signbit(exact);
  const std::uint32_t sign = negative ? f.sign() : 0;
  const long double magnitude = std::fabs(exact);
  const std::uint32_t end = f.end_of_numbers();
  if (std::isinf(exact)) return sign | (saturates ? end - 1 : end);
  std::uint32_t low = 0;
  for (std::uint32_t step = f.sign(); step != 0; step /= 2) {
    if (low + step < end && value_of(f, low + step) <= magnitude) low += step;
  }
  const long double below = value_of(f, low);
  if (below == magnitude) return sign | low;
  // Beyond the largest number the next one would be as far as the one before it.
  const long double above = low + 1 < end ? value_of(f, low + 1) : below + (below - value_of(f, low - 1));
  const long double middle = (below + above) / 2;
  bool up = false;
  if (mode == Mode::nearest) up = magnitude > middle || (magnitude == middle && low % 2 != 0);
  if (mode == Mode::away) up = magnitude >= middle;
  if (mode == Mode::down) up = negative;
  if (mode == Mode::up) up = !negative;
  if (saturates && low + 1 == end) up = false;
  return sign | (low + (up ? 1 : 0));
}

/// Bit patterns at which 16-bit arithmetic goes wrong.
inline std::vector<std::uint16_t> tricky_halves(SmallFormat f) {
  const std::uint32_t smallest_normal = 1U << f.mantissa_bits;
  const std::uint32_t one = ((1U << (f.exponent_bits - 1)) - 1) << f.mantissa_bits;
  const std::uint32_t end = f.end_of_numbers();
  std::vector<std::uint16_t> values;
  for (const std::uint32_t bits :
       {0U, 1U, 3U, smallest_normal - 1, smallest_normal, smallest_normal + 1, one, one + 1, one - 1,
        one + smallest_normal / 2, one + smallest_normal, one + 3 * smallest_normal + 5, one - 9, end - 1,
        end - 2, end, f.nan(), one + 9 * smallest_normal + 3}) {
    values.push_back(static_cast<std::uint16_t>(bits));
    values.push_back(static_cast<std::uint16_t>(bits | f.sign()));
  }
  return values;
}

}  // namespace test
