// Device memory with deterministic contents, and times of work on the device.
#pragma once

#include <functional>
#include <vector>

#include <cuda_runtime.h>

namespace challenge {

/// Ends the program with a message if `error` is not cudaSuccess.
void check(cudaError_t error, const char* what);

/// Floats in device memory.
class Array {
 public:
  explicit Array(std::size_t size);
  explicit Array(const std::vector<float>& values);
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  float* data() const { return data_; }
  std::vector<float> values() const;
  /// Sets all bytes to 0xff: every float is NaN.
  void poison();

 private:
  float* data_ = nullptr;
  std::size_t size_;
};

/// Floats in pinned host memory.
class PinnedArray {
 public:
  explicit PinnedArray(const std::vector<float>& values);
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  float* data() const { return data_; }
  std::vector<float> values() const { return {data_, data_ + size_}; }

 private:
  float* data_ = nullptr;
  std::size_t size_;
};

/// Numbers in [-1, 1) that depend on the seed alone.
std::vector<float> random_floats(std::size_t size, unsigned seed);

/// The median times of `calls` in milliseconds. They take turns, so that a drift of the clock affects all of
/// them, and before each the L2 cache is filled with other data.
std::vector<double> median_ms(const std::vector<std::function<void()>>& calls);

}  // namespace challenge
