// What an experiment writes into the lowest bits of a float in shared memory, which changes it by less than
// 2^-8 of its value: which thread stored it, and whether another one has loaded it.
#pragma once

#include <cstdint>

namespace vgpu::exec {

/// A block has at most 1,024 threads (CUDA C++ Programming Guide, Compute Capabilities), so ten bits name
/// one.
inline constexpr std::uint32_t kNameBits = 0x3FF;
/// Set when a thread has loaded the float: four bits of its name, which most others do not share, and one
/// that is 1.
inline constexpr std::uint32_t kReaderBits = 0x7C00;

/// Of the thread with this name.
constexpr std::uint32_t reader_bits(std::uint32_t name) {
  // Knuth, The Art of Computer Programming 3, 6.4: 2^32 / golden ratio; neighbours then have different bits.
  constexpr std::uint32_t kGolden = 0x9E3779B1, kUpperFour = 28, kReaderAt = 10, kWasRead = 0x4000;
  return (name * kGolden >> kUpperFour << kReaderAt) | kWasRead;
}

}  // namespace vgpu::exec
