// Idea: stream-ordered memory (cudaMallocAsync) per segment; one stream for each direction and one for
// kernels.

#include <algorithm>
#include <cstring>
#include <vector>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

constexpr size_t kFloat = sizeof(float);

struct Event {
  cudaEvent_t event;
  Event() { CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  void record(cudaStream_t in) { CUDA_CHECK(cudaEventRecord(event, in)); }
  void hold(cudaStream_t stream) { CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0)); }
};

// All memory of a segment is allocated when its stream gets there, and freed when its stream is done with it.
void issue(const float* a, const float* b, float* c, int length, int rounds, cudaStream_t stream) {
  float* d = nullptr;
  CUDA_CHECK(cudaMallocAsync(&d, 3 * length * kFloat, stream));
  CUDA_CHECK(cudaMemcpyAsync(d, a, length * kFloat, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemcpyAsync(d + length, b, length * kFloat, cudaMemcpyHostToDevice, stream));
  add_kernel<<<(length - 1) / 256 + 1, 256, 0, stream>>>(d, d + length, d + 2 * length, length, rounds);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(c, d + 2 * length, length * kFloat, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaFreeAsync(d, stream));
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  cudaStream_t streams[2];
  float* ring = nullptr;  // two slots of a, b, c
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaMallocHost(&ring, 6 * segment * kFloat));
  const int segments = lab::ceil_div(n, segment);
  const auto length = [&](int i) { return std::min(segment, n - i * segment); };
  const auto slot = [&](int i, int array) { return ring + (i % 2 * 3 + array) * segment; };
  for (int i = 0; i < segments + 2; ++i) {
    if (i >= 2) {
      CUDA_CHECK(cudaStreamSynchronize(streams[i % 2]));
      memcpy(h_c + (i - 2) * segment, slot(i, 2), length(i - 2) * kFloat);
    }
    if (i >= segments) continue;
    memcpy(slot(i, 0), h_a + i * segment, length(i) * kFloat);
    memcpy(slot(i, 1), h_b + i * segment, length(i) * kFloat);
    issue(slot(i, 0), slot(i, 1), slot(i, 2), length(i), rounds, streams[i % 2]);
  }
  CUDA_CHECK(cudaFreeHost(ring));
  for (cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
}

// One stream copies, the other computes; the copy back of a segment follows the next segment's copies in.
void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  const auto pin = [n](const void* array) {
    CUDA_CHECK(cudaHostRegister(const_cast<void*>(array), n * kFloat, cudaHostRegisterMapped));
  };
  pin(h_a), pin(h_b), pin(h_c);
  cudaStream_t copies, kernels;
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  float* d[2];
  for (float*& buffers : d) CUDA_CHECK(cudaMalloc(&buffers, 3 * segment * kFloat));
  {
    Event filled[2], added[2];
    const int segments = lab::ceil_div(n, segment);
    const auto length = [&](int i) { return std::min(segment, n - i * segment); };
    for (int i = 0; i <= segments; ++i) {
      if (i < segments) {
        float* to = d[i % 2];  // its last result was copied back in this stream
        CUDA_CHECK(
            cudaMemcpyAsync(to, h_a + i * segment, length(i) * kFloat, cudaMemcpyHostToDevice, copies));
        CUDA_CHECK(cudaMemcpyAsync(to + segment, h_b + i * segment, length(i) * kFloat,
                                   cudaMemcpyHostToDevice, copies));
        filled[i % 2].record(copies);
        filled[i % 2].hold(kernels);
        add_kernel<<<lab::ceil_div(length(i), 256), 256, 0, kernels>>>(to, to + segment, to + 2 * segment,
                                                                       length(i), rounds);
        CUDA_CHECK(cudaGetLastError());
        added[i % 2].record(kernels);
      }
      if (i > 0) {
        added[(i - 1) % 2].hold(copies);
        CUDA_CHECK(cudaMemcpyAsync(h_c + (i - 1) * segment, d[(i - 1) % 2] + 2 * segment,
                                   length(i - 1) * kFloat, cudaMemcpyDeviceToHost, copies));
      }
    }
    CUDA_CHECK(cudaStreamSynchronize(copies));
  }
  for (float* buffers : d) CUDA_CHECK(cudaFree(buffers));
  CUDA_CHECK(cudaStreamDestroy(kernels));
  CUDA_CHECK(cudaStreamDestroy(copies));
  for (const float* array : {h_a, h_b, const_cast<const float*>(h_c)})
    CUDA_CHECK(cudaHostUnregister(const_cast<float*>(array)));
}

void device_facts(int* facts, int n) {
  int device = -1;
  CUDA_CHECK(cudaGetDevice(&device));
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, device));
  facts[0] = p.asyncEngineCount;
  for (int i : {1, 2}) facts[i] = p.asyncEngineCount >= i ? 1 : 0;
  facts[3] = p.totalGlobalMem / kFloat / 3 >= static_cast<unsigned>(n);
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  std::vector<cudaStream_t> streams(3);
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
  for (int first = 0, turn = 0; first < n; first += segment, turn = (turn + 1) % 3)
    issue(h_a + first, h_b + first, h_c + first, std::min(segment, n - first), rounds, streams[turn]);
  for (cudaStream_t stream : streams) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}
