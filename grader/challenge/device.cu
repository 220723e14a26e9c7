#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/random.hpp"
#include "challenge/device.hpp"

namespace challenge {
namespace {

constexpr std::size_t kFlushFloats = std::size_t{1} << 26U;  // 256 MB, several times an L2 cache
constexpr int kMaxRounds = 21;
constexpr double kMsPerTable = 1500;  // calls that take long have fewer rounds
constexpr int kMinRounds = 5;

// Loads without storing, so that the cache holds no modified data, which later work would have to write back.
__global__ void read_all(const float* data, std::size_t size, float* never_stored) {
  float sum = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    sum += data[i];
  if (sum == 1) *never_stored = sum;  // the data are 0
}

double time_ms(const std::function<void()>& call, cudaEvent_t start, cudaEvent_t stop) {
  check(cudaEventRecord(start), "cudaEventRecord");
  call();
  check(cudaEventRecord(stop), "cudaEventRecord");
  check(cudaEventSynchronize(stop), "a timed call");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
  return ms;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench-solutions: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

Array::Array(std::size_t size) : size_(size) {
  check(cudaMalloc(&data_, size * sizeof(float)), "cudaMalloc");
  poison();
}

Array::Array(const std::vector<float>& values) : Array(values.size()) {
  check(cudaMemcpy(data_, values.data(), size_ * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
}

std::vector<float> Array::values() const {
  std::vector<float> result(size_);
  check(cudaMemcpy(result.data(), data_, size_ * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return result;
}

void Array::poison() { check(cudaMemset(data_, 0xff, size_ * sizeof(float)), "cudaMemset"); }

PinnedArray::PinnedArray(const std::vector<float>& values) : size_(values.size()) {
  check(cudaMallocHost(&data_, size_ * sizeof(float)), "cudaMallocHost");
  std::copy(values.begin(), values.end(), data_);
}

std::vector<float> random_floats(std::size_t size, unsigned seed) {
  grader::SplitMix64 random(seed);
  std::vector<float> result(size);
  for (float& value : result) value = random.signed_unit();
  return result;
}

std::vector<double> median_ms(const std::vector<std::function<void()>>& calls) {
  static const Array flush(std::vector<float>(kFlushFloats, 0.0F));
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");

  double round_ms = 0;  // the first calls also load the code
  for (const auto& call : calls) call();
  for (const auto& call : calls) round_ms += time_ms(call, start, stop);
  const int rounds = std::clamp(static_cast<int>(kMsPerTable / round_ms), kMinRounds, kMaxRounds);
  std::vector<std::vector<double>> times(calls.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      read_all<<<1024, 256>>>(flush.data(), kFlushFloats, flush.data());
      times[i].push_back(time_ms(calls[i], start, stop));
    }
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::vector<double> medians;
  for (const auto& of_call : times) medians.push_back(median(of_call));
  return medians;
}

}  // namespace challenge
