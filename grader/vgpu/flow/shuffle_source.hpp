// The lane whose value a shuffle returns.
#pragma once

#include <cstdint>

namespace vgpu::exec {

enum class Shuffle : std::uint8_t { up, down, butterfly, index };

struct Source {
  int lane;
  bool in_range;
};

/// The manual's pseudocode for shfl; `control` is operand c: clamp in bits 0-4, segment mask in bits 8-12.
inline Source source_of(Shuffle mode, int lane, std::uint32_t b, std::uint32_t control) {
  const int value = static_cast<int>(b & 31U);
  const int clamp = static_cast<int>(control & 31U);
  const int segment = static_cast<int>(control >> 8U & 31U);
  const int max_lane = (lane & segment) | (clamp & ~segment);
  int from = 0;
  switch (mode) {
    case Shuffle::up:
      from = lane - value;
      break;
    case Shuffle::down:
      from = lane + value;
      break;
    case Shuffle::butterfly:
      from = lane ^ value;
      break;
    case Shuffle::index:
      from = (lane & segment) | (value & ~segment);
      break;
  }
  const bool in_range = mode == Shuffle::up ? from >= max_lane : from <= max_lane;
  return {in_range ? from : lane, in_range};
}

}  // namespace vgpu::exec
