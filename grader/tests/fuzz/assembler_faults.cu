// Tests for the assembler faults that comparisons with a GPU must avoid. On a machine with a GPU:
//
//   nvcc -arch=native -o assembler_faults assembler_faults.cu && ./assembler_faults
//
// CUDA 13.0 has all of them for sm_90. The first three also occur at -Xptxas -O0: generate.cpp generates no
// such kernels. For the others, gpu.sh assembles at -O0. The virtual GPU, which runs the PTX itself, has
// none.
//
// Exit status: 0 no faults, 1 some, 2 the GPU failed.

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

namespace {

/// Even lanes must keep the destination's bits; the assembler converts them anyway.
__global__ void guarded_set(unsigned* out) {
  unsigned value = 7;
  asm volatile(
      "{ .reg .pred p; .reg .b32 odd; .reg .f32 f; and.b32 odd, %1, 1; setp.ne.u32 p, odd, 0; mov.b32 f, "
      "%0;\n"
      "@p set.lt.f32.u32 f, odd, %1; mov.b32 %0, f; }"
      : "+r"(value)
      : "r"(threadIdx.x));
  out[threadIdx.x] = threadIdx.x % 2 != 0 || value == 7;
}

/// In even lanes the destination must stay false; the assembler drops the predicate.
__global__ void guarded_testp(unsigned* out) {
  unsigned value = 0;
  asm volatile(
      "{ .reg .pred p, q; .reg .b32 odd; .reg .f64 d; and.b32 odd, %1, 1; setp.ne.u32 p, odd, 0;\n"
      "setp.ne.u32 q, odd, odd; cvt.rn.f64.u32 d, %1; @p testp.number.f64 q, d; selp.u32 %0, 1, 0, q; }"
      : "=r"(value)
      : "r"(threadIdx.x));
  out[threadIdx.x] = value == threadIdx.x % 2;
}

/// Shifting by more than the width must give 0; the assembler keeps 16 bits of the amount, which are 0 here.
__global__ void shift_by_immediate(unsigned* out) {
  unsigned value = threadIdx.x + 1;
  asm volatile("{ .reg .b16 h; cvt.u16.u32 h, %0; shr.u16 h, h, 0x20000; cvt.u32.u16 %0, h; }" : "+r"(value));
  out[threadIdx.x] = value == 0;
}

/// Odd lanes from 20 run the loop lane & 6 times and invert p each time, so that p is unchanged at the end;
/// the assembler assumes that p is true in every iteration.
__global__ void condition_in_loop(unsigned* out, float x) {
  unsigned value = 0;
  asm volatile(
      "{ .reg .pred p, q, low; .reg .b32 round, high, odd, there; and.b32 odd, %1, 1; setp.ne.u32 p, odd, "
      "0;\n"
      "setp.lt.u32 low, %1, 20; vote.sync.ballot.b32 high, low, -1; @low bra LOW; not.b32 high, high;\n"
      "vote.sync.ballot.b32 odd, p, high; @p bra ODD; bra EVEN;\n"
      "ODD: and.b32 round, %1, 6; mov.b32 there, odd;\n"
      "LOOP: setp.ne.u32 q, round, 0; vote.sync.ballot.b32 there, q, there; @!q bra DONE;\n"
      "setp.leu.xor.ftz.f32 p, %2, %2, p; sub.u32 round, round, 1; bra LOOP;\n"
      "DONE: bar.warp.sync odd;\n"
      "EVEN: bar.warp.sync high;\n"
      "LOW: bar.warp.sync -1; selp.u32 %0, 1, 0, p; }"
      : "=r"(value)
      : "r"(threadIdx.x), "f"(x));
  out[threadIdx.x] = value == threadIdx.x % 2;
}

/// Not all lanes are odd; the assembler moves the vote into the branch, where all active lanes are odd.
__global__ void vote_before_branch(unsigned* out, double x) {
  unsigned value = threadIdx.x, other = threadIdx.x;
  unsigned* at = out + threadIdx.x;
  asm volatile(
      "{ .reg .pred p, q, all; .reg .b32 odd; and.b32 odd, %2, 1; setp.ne.u32 p, odd, 0;\n"
      "setp.neu.xor.f64 p, %3, %3, p; vote.sync.all.pred all, p, -1; setp.ne.u32 q, %2, 5;\n"
      "@!p bra END; st.global.u32 [%4+128], %1; @all ld.global.u32 %0, [%4+256];\n"
      "END: bar.warp.sync -1; selp.u32 %1, 3, %1, p; @q add.u32 %0, %0, 1; }"
      : "+r"(value), "+r"(other)
      : "r"(threadIdx.x), "d"(x), "l"(at)
      : "memory");
  const unsigned odd = threadIdx.x % 2, expected = threadIdx.x == 5 ? 5 : threadIdx.x + 1;
  out[threadIdx.x] = value == expected && other == (odd != 0 ? 3 : threadIdx.x);
}

}  // namespace

int main() {
  constexpr int kLanes = 32;
  unsigned right[kLanes]{}, *d_right = nullptr;
  cudaMalloc(&d_right, 3 * sizeof right);
  cudaMemset(d_right, 0, 3 * sizeof right);
  int faults = 0;
  const auto report = [&](const char* what) {
    const cudaError_t error = cudaMemcpy(right, d_right, sizeof right, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
      std::printf("%s: the GPU failed: %s\n", what, cudaGetErrorString(error));
      std::exit(2);
    }
    int wrong = 0;
    for (int lane = 0; lane < kLanes; ++lane) wrong += right[lane] == 1 ? 0 : 1;
    std::printf("%s: wrong in %d lanes\n", what, wrong);
    if (wrong != 0) ++faults;
  };
  guarded_set<<<1, kLanes>>>(d_right);
  report("set with a predicate");
  guarded_testp<<<1, kLanes>>>(d_right);
  report("testp of f64 with a predicate");
  shift_by_immediate<<<1, kLanes>>>(d_right);
  report("16 bits shifted by an immediate of more");
  condition_in_loop<<<1, kLanes>>>(d_right, 1.0F);
  report("a loop that writes the condition of the branch around it");
  vote_before_branch<<<1, kLanes>>>(d_right, 1.0);
  report("a vote whose predicate is read in one branch only");
  cudaFree(d_right);
  return faults == 0 ? 0 : 1;
}
