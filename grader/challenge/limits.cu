#include <algorithm>

#include "challenge/device.hpp"
#include "challenge/limits.hpp"

namespace challenge {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 8;
constexpr int kChains = 16;  // independent operations per thread: hide the latency of each
constexpr int kSteps = 20000;
constexpr std::size_t kFloats = std::size_t{1} << 28U;  // 1 GiB, read or copied

struct MultiplyAdd {
  static __device__ float step(float value, float x, float y) { return value * x + y; }
};
// The sum depends on the last minimum, so that the compiler cannot compute it once.
struct AddMin {
  static __device__ float step(float value, float x, float y) { return fminf(value + x, y); }
};

template <class Operation>
__global__ void __launch_bounds__(kThreads) compute(float* out, float x, float y) {
  float values[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) values[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step)
#pragma unroll
    for (int i = 0; i < kChains; ++i) values[i] = Operation::step(values[i], x, y);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) sum += values[i];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// Each block reads kPieces × 8 KB in a row, which was the fastest of several ways.
constexpr int kPieces = 8;
constexpr int kReadThreads = 512;
__global__ void __launch_bounds__(kReadThreads) read(const float4* in, float* out) {
  const float4* of_block = in + static_cast<std::size_t>(blockIdx.x) * kPieces * kReadThreads;
  float sum = 0;
#pragma unroll
  for (int piece = 0; piece < kPieces; ++piece) {
    const float4 four = __ldcs(of_block + piece * kReadThreads + threadIdx.x);
    sum += four.x + four.y + four.z + four.w;
  }
  if (sum == 1e30F) *out = sum;  // never: keeps the loads
}

}  // namespace

double both_directions_ms(std::size_t to_device, std::size_t to_host) {
  const Array d_in(to_device), d_out(to_host);
  const PinnedArray h_in{std::vector<float>(to_device)}, h_out{std::vector<float>(to_host)};
  cudaStream_t in, out;
  check(cudaStreamCreate(&in), "cudaStreamCreate");
  check(cudaStreamCreate(&out), "cudaStreamCreate");
  const auto copy_both = [&] {
    cudaMemcpyAsync(d_in.data(), h_in.data(), to_device * sizeof(float), cudaMemcpyHostToDevice, in);
    cudaMemcpyAsync(h_out.data(), d_out.data(), to_host * sizeof(float), cudaMemcpyDeviceToHost, out);
    cudaStreamSynchronize(in);
    cudaStreamSynchronize(out);
  };
  const double ms = median_ms({copy_both})[0];
  cudaStreamDestroy(in);
  cudaStreamDestroy(out);
  return ms;
}

Limits measure_limits() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  const int blocks = device.multiProcessorCount * kBlocksPerSm;
  const Array results(static_cast<std::size_t>(blocks) * kThreads), from(kFloats), to(kFloats);
  check(cudaMemset(from.data(), 0x3f, kFloats * sizeof(float)), "cudaMemset");

  const auto multiply_add = [&] {
    compute<MultiplyAdd><<<blocks, kThreads>>>(results.data(), 0.999F, 0.001F);
  };
  const auto add_min = [&] { compute<AddMin><<<blocks, kThreads>>>(results.data(), 1.0F, 1e9F); };
  const auto read_once = [&] {
    constexpr int kReadBlocks = kFloats / (std::size_t{4} * kPieces * kReadThreads);
    read<<<kReadBlocks, kReadThreads>>>(reinterpret_cast<const float4*>(from.data()), results.data());
  };
  const auto copy_once = [&] {
    cudaMemcpyAsync(to.data(), from.data(), kFloats * sizeof(float), cudaMemcpyDeviceToDevice);
  };
  for (int i = 0; i < 100; ++i) multiply_add();  // warms up
  const auto ms = median_ms({multiply_add, add_min, read_once, copy_once});
  const double operations = static_cast<double>(blocks) * kThreads * kChains * kSteps;
  const double bytes = static_cast<double>(kFloats) * sizeof(float);
  return {operations / ms[0] * 1e3, operations / ms[1] * 1e3, bytes / ms[2] * 1e3, 2 * bytes / ms[3] * 1e3};
}

}  // namespace challenge
