// Times kernels and prints a CSV row for each. The same program gives measured times on a real GPU and
// modelled times on the virtual GPU.
//
// Columns: group, kernel, size; us: median over single launches between two events, caches warm; us_cold: the
// same after a kernel that leaves no useful data in the L2 cache and hides the host's time to issue;
// us_in_a_row: time per launch of a sequence of launches between two events, in which kernels hide the issue
// time.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace validate {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

struct Options {
  int repeats = 20;  // 1: one launch gives all columns, which are then equal, and cold
  int warm_ups = 3;
  const char* only = "";  // run kernels whose "group,kernel" contains this
  long long most = 0;     // omit larger sizes; 0: no limit
};

/// --repeats N, --warm-ups N, --only TEXT, --most SIZE.
inline Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--repeats")
      options.repeats = std::max(1, std::atoi(argv[i + 1]));
    else if (name == "--warm-ups")
      options.warm_ups = std::max(0, std::atoi(argv[i + 1]));
    else if (name == "--only")
      options.only = argv[i + 1];
    else if (name == "--most")
      options.most = std::atoll(argv[i + 1]);
  }
  return options;
}

/// Device memory that is allocated until the program ends.
template <class T>
T* device_array(std::size_t count) {
  T* d_array = nullptr;
  check(cudaMalloc(&d_array, count * sizeof(T)), "cudaMalloc");
  return d_array;
}

inline unsigned blocks_for(int n, int threads) { return static_cast<unsigned>((n + threads - 1) / threads); }

/// Reads enough to replace the contents of the L2 cache. It does not write, because written data would be
/// evicted while the next kernel runs.
__global__ static void read_all(const float4* in, float* out, int n) {
  float sum = 0.0F;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) sum += in[i].x;
  if (sum == 1.0F) *out = sum;  // never true: the array contains zeros
}

class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  /// Device time in microseconds.
  double time(const std::function<void()>& work) {
    check(cudaEventRecord(start_), "cudaEventRecord");
    work();
    check(cudaEventRecord(stop_), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0.0F;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return 1e3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

class Table {
 public:
  explicit Table(const Options& options) : options_(options) {
    std::printf("group,kernel,size,us,us_cold,us_in_a_row\n");
    other_ = device_array<float4>(kOtherVectors);
    found_ = device_array<float>(1);
    check(cudaMemset(other_, 0, kOtherVectors * sizeof(float4)), "cudaMemset");
  }

  void row(const char* group, const std::string& kernel, long long size,
           const std::function<void()>& launch) {
    if (!std::strstr((std::string(group) + "," + kernel).c_str(), options_.only)) return;
    if (options_.most != 0 && size > options_.most) return;
    for (int i = 0; i < options_.warm_ups; ++i) launch();
    // Work precedes each launch, so that the host's time to issue it does not count.
    double cold = 0;
    double warm = 0;
    double in_a_row = 0;
    if (options_.repeats == 1) {
      cold = warm = in_a_row = median([this] { write_all(); }, launch);
    } else {
      cold = median([this] { read_all<<<1056, 256>>>(other_, found_, kOtherVectors); }, launch);
      warm = median([] {}, launch);
      in_a_row = stopwatch_.time([&] {
        for (int i = 0; i < options_.repeats; ++i) launch();
      }) / options_.repeats;
    }
    check(cudaGetLastError(), kernel.c_str());
    std::printf("%s,%s,%lld,%.3f,%.3f,%.3f\n", group, kernel.c_str(), size, warm, cold, in_a_row);
    std::fflush(stdout);
  }

 private:
  static constexpr int kOtherVectors = 16 << 20;  // 256 MiB: five times the L2 cache of an H200

  /// Quick on the virtual GPU, because its caches are always empty when a kernel begins.
  void write_all() { cudaMemsetAsync(other_, 0, kOtherVectors * sizeof(float4)); }

  double median(const std::function<void()>& before, const std::function<void()>& launch) {
    std::vector<double> times;
    for (int i = 0; i < options_.repeats; ++i) {
      before();
      times.push_back(stopwatch_.time(launch));
    }
    std::nth_element(times.begin(), times.begin() + options_.repeats / 2, times.end());
    return times[options_.repeats / 2];
  }

  Options options_;
  Stopwatch stopwatch_;
  float4* other_ = nullptr;
  float* found_ = nullptr;
};

}  // namespace validate
