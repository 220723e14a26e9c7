// Random operands, including those that often reveal arithmetic errors. The same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "form.hpp"

namespace fuzz {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t bound) { return next() % bound; }
  /// True with probability 1 / n.
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const auto& one_of(const T& choices) {
    return choices[below(std::size(choices))];
  }

  Bits value(Kind kind);

 private:
  Bits integer(unsigned width);
  Bits real(unsigned width);

  std::uint64_t state_;
};

}  // namespace fuzz
