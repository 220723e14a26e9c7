// The functions that you write in 01-memory-types. The tests call them. Images are row-major: the pixel in
// row r and column c is image[r * width + c]. width and height are from 1 to 8,192,
// width * height is at most 2^24.
#pragma once

#include <cuda_runtime.h>

namespace lab {

inline constexpr int kMaxRadius = 8;  ///< radii are 0 to kMaxRadius
inline constexpr int kLevels = 8;     ///< grey levels are 0 to kLevels - 1

}  // namespace lab

extern "C" {

/// Each pixel of d_out is the average of the existing pixels of the (2 radius + 1)² window around it.
/// Both images are in device memory. Launches the kernel; need not wait for it.
void blur(const float* d_in, float* d_out, int width, int height, int radius);

/// Each pixel of d_out is the sum of weight × pixel over the existing pixels of its window:
/// the pixel dy rows below and dx columns right of it has h_weights[(dy + radius) * (2 * radius + 1) + dx +
/// radius]. Images are in device memory, the (2 radius + 1)² weights in host memory; the kernel reads them
/// from constant memory.
void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius);

/// The same result. Each block loads its part of the image, with the halo that its windows need, into shared
/// memory once.
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius);

/// Adds the number of this image's pixels that are greater than `threshold` to a count that stays on the
/// device from call to call, and writes the new count to *h_count in host memory. `restart`: the count starts
/// from 0 with this image.
void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count);

/// Each pixel of d_out is the grey level that occurs most often among the existing pixels of its window; if
/// several levels are equally frequent, the lowest.
void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius);
}
