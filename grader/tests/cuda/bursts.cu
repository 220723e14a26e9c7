// Loads all GPUs in bursts until it is killed, so that measurements of others are disturbed: work for 5 to
// 300 ms, then a pause of up to a second. The sequence is the same in each run.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int kBlocks = 1024;
constexpr int kThreads = 256;
constexpr int kSteps = 200'000;  // about 2 ms on an H100

__global__ void Work(float* out) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < kSteps; ++i) value = value * 0.999f + 1.0f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bursts: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main() {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  std::vector<float*> outs(devices);
  for (int device = 0; device < devices; ++device) {
    check(cudaSetDevice(device));
    check(cudaMalloc(&outs[device], kBlocks * kThreads * sizeof(float)));
  }
  std::mt19937 random{1};
  while (true) {
    const auto end = Clock::now() + milliseconds(5 + random() % 296);
    while (Clock::now() < end) {
      for (int device = 0; device < devices; ++device) {
        check(cudaSetDevice(device));
        Work<<<kBlocks, kThreads>>>(outs[device]);
      }
      for (int device = 0; device < devices; ++device) {
        check(cudaSetDevice(device));
        check(cudaDeviceSynchronize());
      }
    }
    std::this_thread::sleep_for(milliseconds(random() % 1000));
  }
}
