// Kernels with one thread per element.
#pragma once

#include "course.hpp"

namespace course {

__global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy_stride(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

__global__ void vecadd4(const float4* a, const float4* b, float4* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__global__ void popc64(const unsigned long long* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __popcll(a[i]) + __brev(static_cast<unsigned>(a[i])) + __mul24(i, 3) +
           static_cast<int>(a[i] % 10) + static_cast<int>(a[i] / 7);
}

/// One step of a bitonic sort of the whole array.
__global__ void bitonic(int* a, int j, int k) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
  if (other <= i) return;
  if ((i & k) == 0 ? a[i] > a[other] : a[i] < a[other]) {
    const int kept = a[i];
    a[i] = a[other];
    a[other] = kept;
  }
}

inline void run_vectors(Results& results) {
  Random random(1);
  const int n = 1003;
  const Array<float> a(random.reals(n)), b(random.reals(n, -1e-3, 1e3)), c(n);
  vecadd<<<blocks_for(n, 256), 256>>>(a, b, c, n);
  results.launched("vecadd");
  results.add("c", c);

  const int many = 5003;
  const Array<float> x(random.reals(many)), y(random.reals(many));
  saxpy_stride<<<3, 128>>>(many, 1.7F, x, y);
  results.launched("saxpy_stride");
  results.add("y", y);

  const int quads = 251;
  const Array<float> a4(random.reals(4 * quads)), b4(random.reals(4 * quads)), c4(4 * quads);
  const auto as_quads = [](const Array<float>& array) {
    return reinterpret_cast<float4*>(static_cast<float*>(array));
  };
  vecadd4<<<blocks_for(quads, 64), 64>>>(as_quads(a4), as_quads(b4), as_quads(c4), quads);
  results.launched("vecadd4");
  results.add("c", c4);

  std::vector<unsigned long long> words(333);
  for (auto& word : words) word = random.next() >> random.below(64);
  const Array<unsigned long long> d_words(words);
  const Array<int> bits(words.size());
  popc64<<<blocks_for(333, 96), 96>>>(d_words, bits, 333);
  results.launched("popc64");
  results.add("out", bits);

  const Array<int> sorted(random.integers(512, 1000));
  for (int k = 2; k <= 512; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) bitonic<<<4, 128>>>(sorted, j, k);
  }
  results.launched("bitonic");
  results.add("a", sorted);
}

}  // namespace course
