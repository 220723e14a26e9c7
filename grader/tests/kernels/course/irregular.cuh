// Kernels whose memory accesses depend on the data: histograms, graphs, sparse matrices, atomics.
#pragma once

#include "course.hpp"

namespace course {

__global__ void histo_global(const unsigned char* in, unsigned* h, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&h[in[i]], 1U);
}

__global__ void histo_shared(const unsigned char* in, unsigned* h, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[in[i]], 1U);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (s[i] != 0) atomicAdd(&h[i], s[i]);
  }
}

/// All atomic operations, used so that the final values do not depend on their order.
__global__ void atomics_misc(int* a, float* f, unsigned long long* u, double* d) {
  atomicMin(a, 3);
  atomicMax(a + 1, static_cast<int>(threadIdx.x));
  atomicExch(a + 2, 7);
  const int old = atomicCAS(a + 3, 0, 1);
  atomicAnd(a + 4, old);
  atomicOr(a + 5, 1);
  atomicXor(a + 6, 2);
  atomicSub(a + 7, 1);
  atomicInc(reinterpret_cast<unsigned*>(a) + 8, 10);
  atomicAdd(u, 5ULL);
  atomicAdd(d, 1.0);
  atomicExch(f, 2.F);
  __threadfence();
  __threadfence_block();
  // Addition of a double without atomicAdd(double*), which older GPUs lack.
  auto* bits = reinterpret_cast<unsigned long long*>(d + 1);
  unsigned long long seen = atomicAdd(bits, 0ULL), assumed;
  do {
    assumed = seen;
    seen = atomicCAS(bits, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
  } while (assumed != seen);
}

/// One level of a breadth-first search; several threads may give a vertex the same level.
__global__ void bfs(const int* row, const int* column, int* level, int depth, int n, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = row[v]; e < row[v + 1]; ++e) {
    if (level[column[e]] < 0) {
      level[column[e]] = depth + 1;
      *changed = 1;
    }
  }
}

__global__ void spmv(const int* row, const int* column, const float* value, const float* x, float* y, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float sum = 0;
  for (int e = row[r]; e < row[r + 1]; ++e) sum += value[e] * __ldg(&x[column[e]]);
  y[r] = sum;
}

struct SparseRows {
  std::vector<int> row{0}, column;

  SparseRows(Random& random, int n, int longest) {
    for (int r = 0; r < n; ++r) {
      for (int left = random.below(longest + 1); left > 0; --left) column.push_back(random.below(n));
      row.push_back(static_cast<int>(column.size()));
    }
  }
};

inline void run_bfs(Results& results, Random& random) {
  const int n = 300;
  const SparseRows graph(random, n, 3);
  const Array<int> row(graph.row), column(graph.column), changed(1);
  std::vector<int> start(n, -1);
  start[0] = 0;
  const Array<int> level(start);
  std::vector<int> more{1};
  for (int depth = 0; depth < n && more[0] != 0; ++depth) {
    cudaMemset(changed, 0, sizeof(int));
    bfs<<<blocks_for(n, 64), 64>>>(row, column, level, depth, n, changed);
    more = changed.values();
  }
  results.launched("bfs");
  results.add("level", level);
}

inline void run_irregular(Results& results) {
  Random random(5);
  const int n = 10007;
  // Squares of random numbers: some bins are much fuller than others.
  std::vector<unsigned char> skewed(n);
  for (auto& value : skewed) {
    const int root = random.below(16);
    value = static_cast<unsigned char>(root * root);
  }
  const Array<unsigned char> bytes(skewed);
  const Array<unsigned> global(256), shared(256);
  histo_global<<<5, 192>>>(bytes, global, n);
  results.launched("histo_global");
  results.add("h", global);
  histo_shared<<<5, 192>>>(bytes, shared, n);
  results.launched("histo_shared");
  results.add("h", shared);

  const Array<int> words(std::vector<int>{9, -5, 1, 0, 7, 0, 1, 1000, 4});
  const Array<float> exchanged(1);
  const Array<unsigned long long> sum(1);
  const Array<double> doubles(2);
  atomics_misc<<<2, 96>>>(words, exchanged, sum, doubles);
  results.launched("atomics_misc");
  results.add("a", words);
  results.add("f", exchanged);
  results.add("u", sum);
  results.add("d", doubles);

  run_bfs(results, random);

  const int rows = 200;
  const SparseRows matrix(random, rows, 20);
  const Array<int> row(matrix.row), column(matrix.column);
  const Array<float> value(random.reals(static_cast<int>(matrix.column.size()))), x(random.reals(rows)),
      y(rows);
  spmv<<<blocks_for(rows, 64), 64>>>(row, column, value, x, y, rows);
  results.launched("spmv");
  results.add("y", y);
}

}  // namespace course
