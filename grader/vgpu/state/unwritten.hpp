// Values that CUDA leaves undefined: of registers and memory before a program writes them, of shuffles from
// lanes that do not take part. A program that uses such a value must get a wrong result, whatever it does
// with the value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vgpu {

/// By word of memory, or by lane plus the register's place, modulo 4. As floats about -1.7e38, 1.2e38 and
/// twice NaN: the first spoils a minimum, the second a maximum, although fminf and fmaxf ignore NaN, and NaN
/// spoils a product with 0.
inline constexpr std::array<std::uint32_t, 4> kUnwrittenWords{0xFEFEFEFE, 0x7EAEAEAE, 0xFFFFFFFE, 0xFFFFFFFE};

/// The magnitude of sums, minima and maxima with the finite ones is at least this.
inline constexpr float kLeastUnwritten = 1e37F;

/// `memory` is aligned to 16 bytes.
inline void fill_unwritten(std::byte* memory, std::size_t size_bytes,
                           const std::array<std::uint32_t, 4>& words = kUnwrittenWords) {
  for (std::size_t at = 0; at < size_bytes; at += sizeof(words))
    std::memcpy(memory + at, words.data(), std::min(sizeof(words), size_bytes - at));
}

}  // namespace vgpu
