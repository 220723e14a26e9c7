// Functions of windows of (2R + 1)² pixels in a grey image, where only existing pixels count: average,
// weighted sum, most frequent level. In addition, a count of bright pixels that continues from image to
// image.
//
// Tolerances, with u = 2^-24 and n the number of existing pixels in the window:
// - weighted sum: c(n) · u · Σ|w·p| with c(n) = min(n, 8·√n) + 1, which covers every order of summation
// (Higham;
//   Higham and Mary; see decision 0005); 0 if all weights and pixels are integers whose sums are exact in
//   float
// - average: (c(n) + 2) · u · Σ|p| / n, which covers the sum and a division or a product with 1 / n;
//   2 u · |average| if the sum of integers is exact
// - counts, levels: exact
#pragma once

#include <span>

#include "base/random.hpp"
#include "lab/workload.hpp"

namespace grader::memory_types {

const Workload& workload();

// Equal to the constants in labs/include/lab/memory_types.hpp, which is for device compilers.
inline constexpr int kMaxRadius = 8;
inline constexpr int kLevels = 8;

/// The existing pixels of the window of one pixel.
struct Window {
  std::size_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;  ///< inclusive
  std::size_t pixels() const { return (last_row - first_row + 1) * (last_column - first_column + 1); }
};

/// The inputs of a job as an image; `weights` is null except for convolutions.
struct ImageJob {
  const float* pixels = nullptr;
  const float* weights = nullptr;
  std::size_t width = 0, height = 0, radius = 0;

  std::size_t window_width() const { return 2 * radius + 1; }
  Window window(std::size_t row, std::size_t column) const;
  double pixel(std::size_t row, std::size_t column) const { return pixels[row * width + column]; }
};
ImageJob image_job(const harness::Job& job);

/// The pixels of an image that count_bright gets.
std::span<const float> counted_image(const harness::Job& job, std::size_t i);

/// Typical mistakes (hypotheses.cpp). They refer to `job`.
std::vector<Hypothesis> memory_types_hypotheses(const harness::Job& job);

/// A picture with integer values from 0 to 255: a gradient, discs, stripes, squares and noise (scene.cpp).
/// Computed only with integers, so that it is equal on every machine.
std::vector<float> scene(std::size_t width, std::size_t height, SplitMix64& random);

}  // namespace grader::memory_types
