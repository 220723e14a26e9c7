// Idea: add_pipelined and add_streams build graphs node by node, with the dependencies between nodes as
// edges.

#include <algorithm>
#include <array>
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

struct Set {
  float *a = nullptr, *b = nullptr, *c = nullptr;
  cudaGraphNode_t added = nullptr, taken = nullptr;  // the last kernel and the last copy back of this set
};

class Graph {
 public:
  Graph() { CUDA_CHECK(cudaGraphCreate(&graph_, 0)); }
  ~Graph() { CUDA_CHECK(cudaGraphDestroy(graph_)); }
  cudaGraphNode_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                       std::vector<cudaGraphNode_t> after) {
    clean(after);
    cudaGraphNode_t node;
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&node, graph_, after.data(), after.size(), to, from, bytes, kind));
    return node;
  }
  cudaGraphNode_t kernel(const Set& set, int length, int rounds, std::vector<cudaGraphNode_t> after) {
    clean(after);
    const float *a = set.a, *b = set.b;
    float* c = set.c;
    void* arguments[] = {&a, &b, &c, &length, &rounds};
    cudaKernelNodeParams node_parameters{};
    node_parameters.func = (void*)add_kernel;
    node_parameters.gridDim = lab::ceil_div(length, 128);
    node_parameters.blockDim = 128;
    node_parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph_, after.data(), after.size(), &node_parameters));
    return node;
  }
  void run() {
    cudaGraphExec_t executable;
    cudaStream_t stream;
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph_, 0));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaGraphLaunch(executable, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }

 private:
  static void clean(std::vector<cudaGraphNode_t>& nodes) {
    nodes.erase(std::remove(nodes.begin(), nodes.end(), nullptr), nodes.end());
  }
  cudaGraph_t graph_;
};

template <int kSets>
void pipeline(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  std::array<Set, kSets> sets;
  for (Set& set : sets)
    for (float** buffer : {&set.a, &set.b, &set.c}) CUDA_CHECK(cudaMalloc(buffer, segment * sizeof(float)));
  {
    Graph graph;
    for (int i = 0; i < lab::ceil_div(n, segment); ++i) {
      Set& set = sets[i % kSets];
      const int first = i * segment, length = std::min(segment, n - first);
      const size_t bytes = length * sizeof(float);
      // The inputs can be overwritten after the kernel; the result after its copy.
      const auto a = graph.copy(set.a, h_a + first, bytes, cudaMemcpyHostToDevice, {set.added});
      const auto b = graph.copy(set.b, h_b + first, bytes, cudaMemcpyHostToDevice, {set.added});
      set.added = graph.kernel(set, length, rounds, {a, b, set.taken});
      set.taken = graph.copy(h_c + first, set.c, bytes, cudaMemcpyDeviceToHost, {set.added});
    }
    graph.run();
  }
  for (Set& set : sets)
    for (float* buffer : {set.a, set.b, set.c}) CUDA_CHECK(cudaFree(buffer));
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  pipeline<3>(h_a, h_b, h_c, n, segment, rounds);
}

void device_facts(int* facts, int n) {
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  const int known[] = {p.asyncEngineCount, p.asyncEngineCount != 0, p.asyncEngineCount >= 2,
                       static_cast<size_t>(n) <= p.totalGlobalMem / 12};
  std::copy(std::begin(known), std::end(known), facts);
}

// ---- With two streams, as on the page.

struct Lane {
  cudaStream_t stream;
  float *d, *h;  // three buffers each
  int first = 0, length = 0;
};

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  for (const float* array : {h_a, h_b, (const float*)h_c})
    CUDA_CHECK(cudaHostRegister((void*)array, n * sizeof(float), 0));
  Lane lanes[2];
  for (Lane& lane : lanes) {
    CUDA_CHECK(cudaStreamCreate(&lane.stream));
    CUDA_CHECK(cudaMalloc(&lane.d, 3 * segment * sizeof(float)));
  }
  const int segments = lab::ceil_div(n, segment);
  const auto length = [&](int i) { return std::min(segment, n - i * segment); };
  for (int i = 0; i < segments; i += 2) {
    const int last = std::min(i + 2, segments);
    for (int j = i; j < last; ++j) {
      const auto [stream, d, h, f, l] = lanes[j % 2];
      CUDA_CHECK(cudaMemcpyAsync(d, h_a + j * segment, length(j) * sizeof(float), cudaMemcpyDefault, stream));
      CUDA_CHECK(cudaMemcpyAsync(d + segment, h_b + j * segment, length(j) * sizeof(float), cudaMemcpyDefault,
                                 stream));
    }
    for (int j = i; j < last; ++j) {
      float* d = lanes[j % 2].d;
      add_kernel<<<lab::ceil_div(length(j), 192), 192, 0, lanes[j % 2].stream>>>(
          d, d + segment, d + 2 * segment, length(j), rounds);
      CUDA_CHECK(cudaGetLastError());
    }
    for (int j = i; j < last; ++j)
      CUDA_CHECK(cudaMemcpyAsync(h_c + j * segment, lanes[j % 2].d + 2 * segment, length(j) * sizeof(float),
                                 cudaMemcpyDefault, lanes[j % 2].stream));
  }
  for (Lane& lane : lanes) {
    CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    CUDA_CHECK(cudaStreamDestroy(lane.stream));
    CUDA_CHECK(cudaFree(lane.d));
  }
  for (const float* array : {h_a, h_b, (const float*)h_c}) CUDA_CHECK(cudaHostUnregister((void*)array));
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Lane lanes[2];
  const size_t bytes = 3 * segment * sizeof(float);
  for (Lane& lane : lanes) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMalloc(&lane.d, bytes));
    CUDA_CHECK(cudaHostAlloc(&lane.h, bytes, cudaHostAllocPortable));
  }
  for (int i = 0; i < lab::ceil_div(n, segment) + 2; ++i) {  // the last two rounds only collect
    Lane& lane = lanes[i & 1];
    if (lane.length > 0) {
      CUDA_CHECK(cudaStreamSynchronize(lane.stream));
      std::copy_n(lane.h + 2 * segment, lane.length, h_c + lane.first);
    }
    lane.first = i * segment;
    lane.length = std::clamp(n - lane.first, 0, segment);
    if (lane.length == 0) continue;
    std::copy_n(h_a + lane.first, lane.length, lane.h);
    std::copy_n(h_b + lane.first, lane.length, lane.h + segment);
    // Both inputs are one copy: two rows of `length` floats, `segment` floats apart.
    const size_t pitch = segment * sizeof(float), width = lane.length * sizeof(float);
    CUDA_CHECK(
        cudaMemcpy2DAsync(lane.d, pitch, lane.h, pitch, width, 2, cudaMemcpyHostToDevice, lane.stream));
    add_kernel<<<lab::ceil_div(lane.length, 64), 64, 0, lane.stream>>>(
        lane.d, lane.d + segment, lane.d + 2 * segment, lane.length, rounds);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(lane.h + 2 * segment, lane.d + 2 * segment, width, cudaMemcpyDeviceToHost,
                               lane.stream));
  }
  for (Lane& lane : lanes) {
    CUDA_CHECK(cudaFreeHost(lane.h));
    CUDA_CHECK(cudaFree(lane.d));
    CUDA_CHECK(cudaStreamDestroy(lane.stream));
  }
}
