// Common host code of the course kernels: inputs that are the same on every machine, arrays on the device,
// and the file of results. Needs only the CUDA runtime, so that `nvcc course.cu` is the whole
// build.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

namespace course {

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
  int below(int bound) { return static_cast<int>(next() % static_cast<unsigned>(bound)); }

  /// Multiples of 2^-24 of the range: no machine rounds them differently.
  template <class T = float>
  std::vector<T> reals(int count, double low = -1, double high = 1) {
    std::vector<T> values(count);
    for (T& value : values) {
      value = static_cast<T>(low + (high - low) * (static_cast<double>(next() >> 40U) / (1 << 24)));
    }
    return values;
  }
  template <class T = int>
  std::vector<T> integers(int count, int bound) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(below(bound));
    return values;
  }

 private:
  std::uint64_t state_;
};

/// Owns memory on the device. A failed allocation causes an error of the launch that uses it.
template <class T>
class Array {
 public:
  explicit Array(const std::vector<T>& values) : count_(values.size()) {
    allocate();
    cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice);
  }
  explicit Array(std::size_t count) : count_(count) {
    allocate();
    cudaMemset(data_, 0, bytes());
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  operator T*() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> copied(count_);
    cudaMemcpy(copied.data(), data_, bytes(), cudaMemcpyDeviceToHost);
    return copied;
  }

 private:
  void allocate() { cudaMalloc(reinterpret_cast<void**>(&data_), bytes()); }
  std::size_t bytes() const { return count_ * sizeof(T); }

  T* data_ = nullptr;
  std::size_t count_;
};

/// The permitted distance of a result from the true value; results of two engines can differ by twice that.
struct Bound {
  const char* kind;
  double amount;
};
inline Bound exact() { return {"exact", 0}; }
inline Bound ulps(double amount) { return {"ulps", amount}; }
inline Bound absolute(double amount) { return {"absolute", amount}; }

/// The file of results, one line per output: LAUNCH OUTPUT TYPE COUNT BOUND AMOUNT, then the bits of all
/// values in hexadecimal, or `hash` and the FNV-1a hash of their bytes for more than kMostValues exact
/// values. A failed launch has the line LAUNCH failed ERROR.
class Results {
 public:
  explicit Results(const char* path) : file_(std::fopen(path, "w")) {}
  ~Results() {
    if (file_) std::fclose(file_);
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  bool opened() const { return file_ != nullptr; }

  /// Waits for the kernel just launched, to which the outputs added next belong.
  void launched(const char* launch, cudaError_t error = cudaGetLastError()) {
    launch_ = launch;
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    failed_ = error != cudaSuccess;
    if (failed_) std::fprintf(file_, "%s failed %s\n", launch, cudaGetErrorName(error));
  }

  template <class T>
  void add(const char* output, const Array<T>& array, Bound bound = exact()) {
    if (!failed_) add(output, array.values(), bound);
  }
  template <class T>
  void add(const char* output, const std::vector<T>& values, Bound bound = exact()) {
    if (failed_) return;
    std::fprintf(file_, "%s %s %s %zu %s %a", launch_.c_str(), output, type_name<T>().c_str(), values.size(),
                 bound.kind, bound.amount);
    if (values.size() > kMostValues && bound.amount == 0) {
      std::fprintf(file_, " hash %016llx", hash(values.data(), values.size() * sizeof(T)));
    } else {
      for (const T& value : values) print_bits(value);
    }
    std::fprintf(file_, "\n");
  }

 private:
  static constexpr std::size_t kMostValues = 1024;

  template <class T>
  static std::string type_name() {
    const char kind = std::is_floating_point<T>::value ? 'f' : std::is_signed<T>::value ? 's' : 'u';
    return kind + std::to_string(8 * sizeof(T));
  }
  static unsigned long long hash(const void* data, std::size_t bytes) {
    unsigned long long value = 0xCBF29CE484222325U;
    for (std::size_t i = 0; i < bytes; ++i) {
      value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3U;
    }
    return value;
  }
  template <class T>
  void print_bits(T value) {
    unsigned long long bits = 0;  // both engines' hosts are little-endian
    std::memcpy(&bits, &value, sizeof value);
    std::fprintf(file_, " %0*llx", static_cast<int>(2 * sizeof(T)), bits);
  }

  std::FILE* file_;
  std::string launch_;
  bool failed_ = false;
};

inline dim3 blocks_for(int width, int height, dim3 block) {
  return {(width + block.x - 1) / block.x, (height + block.y - 1) / block.y};
}
inline int blocks_for(int count, int block) { return (count + block - 1) / block; }

}  // namespace course
