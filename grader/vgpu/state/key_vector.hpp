// Four keys of races/race_shadow.hpp at a time: every supported machine has vectors of 16 bytes. Written out
// because compilers do not vectorise the plain loops (three comparisons of three arrays each).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace vgpu {

using KeyVector = std::int32_t __attribute__((vector_size(16)));
inline constexpr unsigned kVectorKeys = sizeof(KeyVector) / sizeof(std::int32_t);

/// Loads keys; `from` need not be aligned.
inline KeyVector keys_at(const std::int32_t* from) {
  KeyVector keys;
  std::memcpy(&keys, from, sizeof keys);
  return keys;
}

inline void put_keys(std::int32_t* to, KeyVector keys) { std::memcpy(to, &keys, sizeof keys); }

/// The elements whose bit is set, as a comparison's result.
inline KeyVector elements_of(unsigned bits) {
  constexpr KeyVector kBits{1, 2, 4, 8};
  return (static_cast<std::int32_t>(bits) & kBits) != 0;
}

/// Whether a comparison's result is true in any element.
inline bool any(KeyVector holds) {
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(holds);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace vgpu
