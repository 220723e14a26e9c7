// Accepted: one allocation for all device buffers, one for all pinned buffers; events instead of waits for
// streams; streams that do not wait for the default stream; four sets in the pipeline.

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

namespace {

// `lanes` streams with three device buffers each, all from one allocation.
class Lanes {
 public:
  Lanes(int lanes, int segment) : segment_(segment), streams_(lanes), done_(lanes) {
    CUDA_CHECK(cudaMalloc(&pool_, 3 * lanes * segment * sizeof(float)));
    for (cudaStream_t& stream : streams_)
      CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (cudaEvent_t& event : done_) CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~Lanes() {
    for (cudaEvent_t event : done_) CUDA_CHECK(cudaEventDestroy(event));
    for (cudaStream_t stream : streams_) CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(pool_));
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  void send(int lane, const float* a, const float* b, int length) {
    CUDA_CHECK(
        cudaMemcpyAsync(buffer(lane, 0), a, length * sizeof(float), cudaMemcpyDefault, streams_[lane]));
    CUDA_CHECK(
        cudaMemcpyAsync(buffer(lane, 1), b, length * sizeof(float), cudaMemcpyDefault, streams_[lane]));
  }
  void add(int lane, int length, int rounds) {
    add_kernel<<<lab::ceil_div(length, 128), 128, 0, streams_[lane]>>>(buffer(lane, 0), buffer(lane, 1),
                                                                       buffer(lane, 2), length, rounds);
    CUDA_CHECK(cudaGetLastError());
  }
  void fetch(int lane, float* c, int length) {
    CUDA_CHECK(
        cudaMemcpyAsync(c, buffer(lane, 2), length * sizeof(float), cudaMemcpyDefault, streams_[lane]));
    CUDA_CHECK(cudaEventRecord(done_[lane], streams_[lane]));
  }
  // Waits for the last copies.
  void wait(int lane) { CUDA_CHECK(cudaEventSynchronize(done_[lane])); }

 private:
  float* buffer(int lane, int which) { return pool_ + (3 * lane + which) * segment_; }

  int segment_;
  float* pool_ = nullptr;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> done_;
};

}  // namespace

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float* pinned;
  CUDA_CHECK(cudaMallocHost(&pinned, 6 * segment * sizeof(float)));
  {
    Lanes lanes(2, segment);
    const int segments = lab::ceil_div(n, segment);
    for (int i = 0; i < segments + 2; ++i) {
      const int lane = i % 2, first = i * segment, before = first - 2 * segment;
      float* a = pinned + 3 * lane * segment;
      float* b = a + segment;
      float* c = b + segment;
      if (before >= 0 && before < n) {
        lanes.wait(lane);
        std::copy_n(c, std::min(segment, n - before), h_c + before);
      }
      if (first >= n) continue;
      const int length = std::min(segment, n - first);
      std::copy_n(h_a + first, length, a);
      std::copy_n(h_b + first, length, b);
      lanes.send(lane, a, b, length);
      lanes.add(lane, length, rounds);
      lanes.fetch(lane, c, length);
    }
  }
  CUDA_CHECK(cudaFreeHost(pinned));
}

namespace {

// Distributes all segments over the lanes; each copy back is one step late.
void pipeline(int count, const float* a, const float* b, float* c, int n, int segment, int rounds) {
  Lanes lanes(count, segment);
  const int segments = lab::ceil_div(n, segment);
  for (int i = 0; i <= segments; ++i) {
    const int first = i * segment;
    if (i < segments) {
      lanes.send(i % count, a + first, b + first, std::min(segment, n - first));
      lanes.add(i % count, std::min(segment, n - first), rounds);
    }
    if (i > 0) lanes.fetch((i - 1) % count, c + first - segment, std::min(segment, n - first + segment));
  }
  for (int lane = 0; lane < std::min(count, segments); ++lane) lanes.wait(lane);
}

}  // namespace

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float* const arrays[] = {const_cast<float*>(h_a), const_cast<float*>(h_b), h_c};
  for (float* array : arrays)
    CUDA_CHECK(cudaHostRegister(array, n * sizeof(float), cudaHostRegisterPortable));
  pipeline(2, h_a, h_b, h_c, n, segment, rounds);
  for (float* array : arrays) CUDA_CHECK(cudaHostUnregister(array));
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  pipeline(4, h_a, h_b, h_c, n, segment, rounds);
}

void device_facts(int* facts, int n) {
  int engines;
  size_t unused, total;
  CUDA_CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
  CUDA_CHECK(cudaMemGetInfo(&unused, &total));
  const int answers[] = {engines, engines > 0, engines > 1, total / sizeof(float) / 3 >= size_t(n)};
  std::copy_n(answers, 4, facts);
}
