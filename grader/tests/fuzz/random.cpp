#include "random.hpp"

namespace fuzz {
namespace {

constexpr unsigned kWidths[] = {16, 32, 64};

std::uint64_t low_bits(unsigned width) { return width == 64 ? ~0ULL : (1ULL << width) - 1; }

}  // namespace

/// Small numbers, numbers next to powers of two, and random bits, with either sign.
Bits Random::integer(unsigned width) {
  std::uint64_t value = next();
  switch (below(4)) {
    case 0:
      value = below(70);
      break;
    case 1:
      value = (1ULL << below(64)) + below(3) - 1;
      break;
    case 2:
      value >>= below(64);
      break;
    default:
      break;
  }
  if (one_in(3)) value = ~value + 1;
  return value & low_bits(width);
}

/// Zeros, infinities, NaN, limits of the ranges, numbers in the ranges of integers, halves, and random bits.
Bits Random::real(unsigned width) {
  const unsigned fraction = width == 32 ? 23 : 52;
  const std::uint64_t bias = width == 32 ? 127 : 1023;
  const std::uint64_t sign = (next() & 1U) << (width - 1);
  const std::uint64_t any_fraction = next() & low_bits(fraction);
  const std::uint64_t one_exponent = bias << fraction;
  switch (below(10)) {
    case 0:
      return sign;
    case 1:
      return sign | (2 * bias + 1) << fraction;  // infinity
    case 2:
      return sign | (2 * bias + 1) << fraction | 1ULL << (fraction - 1);  // NaN
    case 3:
      return sign | any_fraction >> below(fraction);  // subnormal
    case 4:
      return sign | ((1ULL << fraction) - 1 + below(3));  // near the smallest normal number
    case 5:
      return sign | (((2 * bias + 1) << fraction) - 1 - below(3));  // near the largest number
    case 6:
      return sign | (one_exponent + (below(66) << fraction)) | (one_in(2) ? 0 : any_fraction);  // 1 to 2^66
    case 7:
      return sign |
             ((one_exponent + (below(8) << fraction)) | 1ULL << (fraction - 1 - below(9)));  // with halves
    case 8:
      return sign | (one_exponent - (below(40) << fraction)) | any_fraction;  // below 1
    default: {
      const std::uint64_t bits = next() & low_bits(width);
      // Turn signalling NaNs into quiet ones.
      const bool is_nan = (bits & ~(1ULL << (width - 1))) > (2 * bias + 1) << fraction;
      return is_nan ? bits | 1ULL << (fraction - 1) : bits;
    }
  }
}

Bits Random::value(Kind kind) {
  switch (kind) {
    case 'p':
      return next() & 1U;
    case 'f':
      return real(32);
    case 'd':
      return real(64);
    default:
      return integer(kWidths[kind == 'h' ? 0 : kind == 'r' ? 1 : 2]);
  }
}

}  // namespace fuzz
