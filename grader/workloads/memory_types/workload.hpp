// Windows of (2R + 1)² pixels over a grey image, of which only the pixels that exist count: average, weighted
// sum, most frequent level; and a count of bright pixels that goes on from image to image.
//
// Tolerances, with u = 2^-24 and n the number of the window's pixels that exist:
//   weighted sum   c(n) · u · Σ|w·p|, c(n) = min(n, 8·√n) + 1: every order of summation (Higham; Higham and
//   Mary;
//                  see decision 0005); 0 where all weights and pixels are integers whose sums are exact in
//                  float
//   average        (c(n) + 2) · u · Σ|p| / n: the sum, and a division or a product with 1 / n; 2 u ·
//   |average| where
//                  the sum of integers is exact
//   counts, levels exact
#pragma once

#include "base/random.hpp"
#include "lab/workload.hpp"

namespace grader {

const Workload& memory_types_workload();

// The same as in labs/include/lab/memory_types.hpp, which is for device compilers.
inline constexpr int kMaxRadius = 8;
inline constexpr int kLevels = 8;

/// The window of the pixel in one row and column: the pixels of it that exist.
struct Window {
  std::size_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;  ///< both ends belong to it
  std::size_t pixels() const { return (last_row - first_row + 1) * (last_column - first_column + 1); }
};

/// What the inputs of a job mean; `weights` only where it is a convolution.
struct ImageJob {
  const float* pixels = nullptr;
  const float* weights = nullptr;
  std::size_t width = 0, height = 0, radius = 0;

  std::size_t window_width() const { return 2 * radius + 1; }
  Window window(std::size_t row, std::size_t column) const;
  double pixel(std::size_t row, std::size_t column) const { return pixels[row * width + column]; }
};
ImageJob image_job(const harness::Job& job);

/// Typical mistakes (hypotheses.cpp). They refer to `job`.
std::vector<Hypothesis> memory_types_hypotheses(const harness::Job& job);

/// A picture to look at, 0 to 255, all integers: a gradient, discs, stripes, squares and noise (scene.cpp).
/// Made of integers alone, so that it is the same on every machine.
std::vector<float> scene(std::size_t width, std::size_t height, SplitMix64& random);

}  // namespace grader
