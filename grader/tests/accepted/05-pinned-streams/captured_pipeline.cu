// Idea: each function captures its whole work into one graph, with branches for the streams, and launches it
// once.

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

// A graph that is captured from several streams; the first one forks into the others.
class Capture {
 public:
  explicit Capture(int branches) : streams_(branches) {
    for (cudaStream_t& s : streams_) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    CUDA_CHECK(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaEventRecord(event_, streams_[0]));
    for (int s = 1; s < branches; ++s) CUDA_CHECK(cudaStreamWaitEvent(streams_[s], event_, 0));
  }
  cudaStream_t operator[](int i) const { return streams_[i % streams_.size()]; }
  void run() {
    for (size_t s = 1; s < streams_.size(); ++s) {
      CUDA_CHECK(cudaEventRecord(event_, streams_[s]));
      CUDA_CHECK(cudaStreamWaitEvent(streams_[0], event_, 0));
    }
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_CHECK(cudaStreamEndCapture(streams_[0], &graph));
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(executable, streams_[0]));
    CUDA_CHECK(cudaStreamSynchronize(streams_[0]));
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  ~Capture() {
    cudaEventDestroy(event_);
    for (cudaStream_t s : streams_) cudaStreamDestroy(s);
  }

 private:
  std::vector<cudaStream_t> streams_;
  cudaEvent_t event_;
};

struct Memory {
  float *a, *b, *c;
  explicit Memory(int elements) {
    CUDA_CHECK(cudaMalloc(&a, 3 * sizeof(float) * elements));
    b = a + elements, c = b + elements;
  }
  ~Memory() { cudaFree(a); }
};

void in(const Memory& d, const float* a, const float* b, int length, cudaStream_t s) {
  CUDA_CHECK(cudaMemcpyAsync(d.a, a, length * sizeof(float), cudaMemcpyHostToDevice, s));
  CUDA_CHECK(cudaMemcpyAsync(d.b, b, length * sizeof(float), cudaMemcpyHostToDevice, s));
}
void add(const Memory& d, int length, int rounds, cudaStream_t s) {
  add_kernel<<<lab::ceil_div(length, 256), 256, 0, s>>>(d.a, d.b, d.c, length, rounds);
  CUDA_CHECK(cudaGetLastError());
}
void out(float* c, const Memory& d, int length, cudaStream_t s) {
  CUDA_CHECK(cudaMemcpyAsync(c, d.c, length * sizeof(float), cudaMemcpyDeviceToHost, s));
}

// Two slots, each with a graph of its own for each of its segments; the host's memcpy cannot be in a graph's
// branch.
void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Memory device[2] = {Memory(segment), Memory(segment)};
  float* pinned[2];
  cudaStream_t streams[2];
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaMallocHost(&pinned[s], 3 * sizeof(float) * segment));
    CUDA_CHECK(cudaStreamCreate(&streams[s]));
  }
  int starts[2] = {-1, -1};
  const auto finish = [&](int s) {
    if (starts[s] < 0) return;
    CUDA_CHECK(cudaStreamSynchronize(streams[s]));
    std::memcpy(h_c + starts[s], pinned[s] + 2 * segment, std::min(segment, n - starts[s]) * sizeof(float));
  };
  int s = 0;
  for (int first = 0; first < n; first += segment, s ^= 1) {
    finish(s);
    starts[s] = first;
    const int length = std::min(segment, n - first);
    std::memcpy(pinned[s], h_a + first, length * sizeof(float));
    std::memcpy(pinned[s] + segment, h_b + first, length * sizeof(float));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_CHECK(cudaStreamBeginCapture(streams[s], cudaStreamCaptureModeRelaxed));
    in(device[s], pinned[s], pinned[s] + segment, length, streams[s]);
    add(device[s], length, rounds, streams[s]);
    out(pinned[s] + 2 * segment, device[s], length, streams[s]);
    CUDA_CHECK(cudaStreamEndCapture(streams[s], &graph));
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(executable, streams[s]));
    CUDA_CHECK(cudaGraphExecDestroy(executable));  // frees it when its launch has ended
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  for (int slot : {s, s ^ 1}) {
    finish(slot);
    CUDA_CHECK(cudaFreeHost(pinned[slot]));
    CUDA_CHECK(cudaStreamDestroy(streams[slot]));
  }
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float* const arrays[] = {const_cast<float*>(h_a), const_cast<float*>(h_b), h_c};
  for (float* array : arrays) CUDA_CHECK(cudaHostRegister(array, n * sizeof(float), cudaHostRegisterDefault));
  {
    const Memory device[2] = {Memory(segment), Memory(segment)};
    Capture streams(2);
    for (int pair = 0; pair < n; pair += 2 * segment) {
      const int lengths[2] = {std::min(segment, n - pair), std::min(segment, n - pair - segment)};
      const int parts = lengths[1] > 0 ? 2 : 1;
      for (int p = 0; p < parts; ++p)
        in(device[p], h_a + pair + p * segment, h_b + pair + p * segment, lengths[p], streams[p]);
      for (int p = 0; p < parts; ++p) add(device[p], lengths[p], rounds, streams[p]);
      for (int p = 0; p < parts; ++p) out(h_c + pair + p * segment, device[p], lengths[p], streams[p]);
    }
    streams.run();
  }
  for (float* array : arrays) CUDA_CHECK(cudaHostUnregister(array));
}

void device_facts(int* facts, int n) {
  int engines = 0;
  size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  facts[0] = engines;
  facts[1] = engines > 0;
  facts[2] = engines > 1;
  facts[3] = 12ull * n <= total_bytes;
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  const Memory device[4] = {Memory(segment), Memory(segment), Memory(segment), Memory(segment)};
  Capture streams(4);
  for (int i = 0, first = 0; first < n; ++i, first += segment) {
    const int length = std::min(segment, n - first);
    in(device[i % 4], h_a + first, h_b + first, length, streams[i]);
    add(device[i % 4], length, rounds, streams[i]);
    out(h_c + first, device[i % 4], length, streams[i]);
  }
  streams.run();
}
