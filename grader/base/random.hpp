// Random numbers that depend on the seed alone: the same on every machine and with every standard library
// (std::uniform_real_distribution differs between libraries, so it is not used).
#pragma once

#include <cstdint>

namespace grader {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
class SplitMix64 {
  __extension__ using Wide = unsigned __int128;

 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  /// Uniform in [0, 1), a multiple of 2^-24, so that it is exact in float.
  float unit() { return static_cast<float>((*this)() >> 40U) * 0x1.0p-24F; }

  /// Uniform in [-1, 1), a multiple of 2^-23.
  float signed_unit() { return 2.0F * unit() - 1.0F; }

  /// Uniform in [0, bound) for bound > 0 by multiply-shift; the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * bound) >> 64U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace grader
