#include <algorithm>

#include "workloads/memory_types/workload.hpp"

namespace grader::memory_types {
namespace {

constexpr int kSide = 1024;  ///< the picture's coordinate range, independent of the image's size
constexpr int kWhiteGrey = 255;

int grey_at(int x, int y) {
  const int from_centre = (x - 300) * (x - 300) + (y - 320) * (y - 320);
  if (from_centre < 200 * 200) return from_centre < 120 * 120 ? 40 : 235;  // a ring
  if (x > 590 && x < 940 && y > 100 && y < 450)                            // squares of a chessboard
    return ((x - 590) / 44 + (y - 100) / 44) % 2 == 0 ? 220 : 25;
  if (x > 80 && x < 940 && y > 640 && y < 920)  // stripes, finer to the right
    return x * x / (64 * kSide) % 2 == 0 ? 200 : 60;
  return 70 + 110 * (3 * x + 2 * y) / (5 * kSide);
}

/// One pixel in fifty becomes black or white, the others change by at most 8.
int with_noise(int grey, SplitMix64& random) {
  if (random.below(50) == 0) return random.below(2) == 0 ? 0 : kWhiteGrey;
  return std::clamp(grey + static_cast<int>(random.below(17)) - 8, 0, kWhiteGrey);
}

}  // namespace

std::vector<float> scene(std::size_t width, std::size_t height, SplitMix64& random) {
  std::vector<float> pixels;
  pixels.reserve(width * height);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      const int x = static_cast<int>(column * kSide / width), y = static_cast<int>(row * kSide / height);
      pixels.push_back(static_cast<float>(with_noise(grey_at(x, y), random)));
    }
  return pixels;
}

}  // namespace grader::memory_types
