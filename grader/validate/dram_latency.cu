// Times of single loads that find nothing in any cache: one thread reads an array of 4 MiB with a stride,
// after a kernel that reads 256 MiB. Prints the mean and the quartiles in clocks of the SM, and, for a stride
// of 32 bytes, how often a load finds the sector that the load before it has brought along.
//
//   nvcc -O3 -arch=native -o dram_latency dram_latency.cu && ./dram_latency
#include "kernel_timer.cuh"

namespace {

__global__ void time_loads(const unsigned* in, int stride, int count, unsigned* clocks, unsigned* sum) {
  unsigned at = 0;
  for (int i = 0; i < count; ++i) {
    const long long before = clock64();
    const unsigned zero = __ldcg(in + at);
    at += static_cast<unsigned>(stride) + zero;  // the next load waits for this one
    clocks[i] = static_cast<unsigned>(clock64() + (at >> 31U) - before);
  }
  *sum = at;
}

}  // namespace

int main() {
  constexpr int kWords = 1 << 20, kMostLoads = 2000, kOtherVectors = 16 << 20;
  unsigned* const in = validate::device_array<unsigned>(kWords);
  unsigned* const clocks = validate::device_array<unsigned>(kMostLoads);
  unsigned* const sum = validate::device_array<unsigned>(1);
  float4* const other = validate::device_array<float4>(kOtherVectors);
  float* const found = validate::device_array<float>(1);
  validate::check(cudaMemset(in, 0, kWords * sizeof(unsigned)), "cudaMemset");
  validate::check(cudaMemset(other, 0, kOtherVectors * sizeof(float4)), "cudaMemset");
  std::printf("stride_bytes,mean,lower_quartile,median,upper_quartile\n");
  for (const int stride : {8, 16, 32, 64, 256, 1024}) {
    const int count = std::min(kMostLoads, kWords / stride);
    validate::read_all<<<1056, 256>>>(other, found, kOtherVectors);
    time_loads<<<1, 1>>>(in, stride, count, clocks, sum);
    std::vector<unsigned> times(static_cast<std::size_t>(count));
    validate::check(cudaMemcpy(times.data(), clocks, times.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
                    "time_loads");
    double all = 0;
    for (const unsigned one : times) all += one;
    std::sort(times.begin(), times.end());
    std::printf("%d,%.0f,%u,%u,%u\n", 4 * stride, all / count, times[times.size() / 4],
                times[times.size() / 2], times[times.size() * 3 / 4]);
  }
}
