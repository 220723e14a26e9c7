// Loops around atomicCAS, whose first read may be plain: bad_ must be found, ok_ must not. All take the same
// arguments and run in 4 blocks of 64 threads. `out` is cleared before the launch. make.sh makes the PTX that
// the tests run.
#include <cuda_runtime.h>

#define KERNEL extern "C" __global__ void
#define ARGUMENTS [[maybe_unused]] const int *in, [[maybe_unused]] int *out

struct Pair {
  int first, second;
};

/// The CUDA C++ Programming Guide's atomicAdd for double, section "Atomic Functions".
__device__ double add_double(double* address, double value) {
  auto* word = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void max_float(float* address, float value) {
  int* word = reinterpret_cast<int*>(address);
  int old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}

/// Reads again in every round.
__device__ void raise(int* word, int value) {
  int old;
  do {
    old = *word;
  } while (old < value && atomicCAS(word, old, value) != old);
}

KERNEL ok_double_sum(ARGUMENTS) { add_double(reinterpret_cast<double*>(out), in[threadIdx.x]); }

KERNEL ok_float_maximum(ARGUMENTS) { max_float(reinterpret_cast<float*>(out), in[threadIdx.x]); }

KERNEL ok_read_again(ARGUMENTS) { raise(out, in[threadIdx.x]); }

KERNEL ok_member(ARGUMENTS) { raise(&reinterpret_cast<Pair*>(out)[threadIdx.x & 7].second, in[threadIdx.x]); }

/// The loop with which cuda_bf16.hpp adds a bfloat16 if the GPU lacks the instruction.
KERNEL ok_half_words(ARGUMENTS) {
  auto* word = reinterpret_cast<unsigned short*>(out);
  unsigned short old = *word, assumed;
  do {
    assumed = old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(old)
                 : "l"(word), "h"(assumed), "h"(static_cast<unsigned short>(assumed + 3))
                 : "memory");
  } while (assumed != old);
}

/// A volatile first read, which would race within a warp.
KERNEL ok_volatile_guess(ARGUMENTS) {
  int old = *static_cast<volatile int*>(out), assumed;
  do {
    assumed = old;
    old = atomicCAS(out, assumed, assumed * 3 + 1);
  } while (assumed != old);
}

/// Pushes onto a list without a lock: out[0] is its head, out[1 + n] is the index of the node after n.
KERNEL ok_push(ARGUMENTS) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  int head = out[0], assumed;
  do {
    assumed = head;
    out[1 + node] = assumed;
    __threadfence();
    head = atomicCAS(&out[0], assumed, node);
  } while (assumed != head);
}

KERNEL ok_shared_sum(ARGUMENTS) {
  __shared__ double sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  add_double(&sum, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(sum);
}

KERNEL ok_shared_maximum(ARGUMENTS) {
  __shared__ int largest[4];
  if (threadIdx.x < 4) largest[threadIdx.x] = 0;
  __syncthreads();
  raise(&largest[2], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = largest[2];
}

/// After the loop nothing verifies the value that is read.
KERNEL bad_read_behind(ARGUMENTS) {
  max_float(reinterpret_cast<float*>(out), in[threadIdx.x]);
  out[1 + blockIdx.x * blockDim.x + threadIdx.x] = out[0];
}

/// The guess was read from another address than the one that is compared.
KERNEL bad_guess_from_elsewhere(ARGUMENTS) {
  atomicAdd(&out[1], 1);
  const int seen = out[1];
  atomicCAS(&out[0], seen, seen + 1);
}

/// The guess is computed from the value that was read.
KERNEL bad_computed_guess(ARGUMENTS) {
  const int seen = out[0];
  atomicCAS(&out[0], seen + 1, in[threadIdx.x]);
}

/// The guess does not excuse the plain store next to it.
KERNEL bad_plain_store(ARGUMENTS) {
  if (threadIdx.x == 0) out[0] = in[blockIdx.x];
  raise(out, in[threadIdx.x]);
}

KERNEL bad_shared_read_behind(ARGUMENTS) {
  __shared__ double sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  add_double(&sum, in[threadIdx.x]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(sum);
}

KERNEL bad_shared_without_barrier(ARGUMENTS) {
  __shared__ int largest;
  if (threadIdx.x == 0) largest = 0;
  raise(&largest, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = largest;
}
