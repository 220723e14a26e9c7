// What becomes of the carry flag from one instruction of extended precision to another, also where the manual
// does not say: a line with a name and a hash of all results for each sequence, and for division and
// remainder of 128-bit integers, which nvcc makes of such sequences. carry_mix.txt in this folder is what
// an H200 printed (nvcc -arch=sm_90 -DWITH_MAIN -o carry_mix carry_mix.cu); programs_test.cpp compares.

#include <cstdint>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kCases = 4096;

#define SEQUENCE(NAME, TEXT)                                          \
  struct NAME {                                                       \
    static constexpr const char* kName = #NAME;                       \
    static __device__ void run(const uint32_t* in, uint32_t* out) {   \
      asm volatile("{ " TEXT " }"                                     \
                   : "=&r"(out[0]), "=&r"(out[1])                     \
                   : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3])); \
    }                                                                 \
  };

SEQUENCE(sub_subc, "sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5;")
SEQUENCE(sub_addc, "sub.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5;")
SEQUENCE(sub_addc_0, "sub.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;")
SEQUENCE(sub_subc_addc, "sub.cc.u32 %0, %2, %3; subc.cc.u32 %0, %4, %5; addc.u32 %1, 0, 0;")
SEQUENCE(add_subc, "add.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5;")
SEQUENCE(add_addc_subc, "add.cc.u32 %0, %2, %3; addc.cc.u32 %0, %4, %5; subc.u32 %1, 0, 0;")
SEQUENCE(mad_addc, "mad.lo.cc.u32 %0, %2, %3, %4; addc.u32 %1, %5, 0;")
SEQUENCE(mad_subc, "mad.lo.cc.u32 %0, %2, %3, %4; subc.u32 %1, %5, 0;")
SEQUENCE(mad_hi_addc, "mad.hi.cc.u32 %0, %2, %3, %4; addc.u32 %1, %5, 0;")
SEQUENCE(sub_madc, "sub.cc.u32 %0, %2, %3; madc.lo.u32 %1, %2, %3, %4;")
SEQUENCE(add_madc_hi, "add.cc.u32 %0, %2, %3; madc.hi.u32 %1, %2, %3, %4;")
SEQUENCE(mad_madc, "mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;")
SEQUENCE(sub_subc_s32, "sub.cc.s32 %0, %2, %3; subc.s32 %1, %4, %5;")
SEQUENCE(
    sub_addc_64,
    ".reg .u64 a, b, c; mov.b64 a, {%2, %3}; mov.b64 b, {%4, %5}; sub.cc.u64 c, a, b; cvt.u32.u64 %0, c; "
    "addc.u64 c, a, b; cvt.u32.u64 %1, c;")

__extension__ using Wide = unsigned __int128;

__device__ Wide wide(const uint32_t* in, unsigned words) {
  Wide value = 0;
  for (unsigned i = 0; i < words; ++i) value = value << 32 | in[i];
  return value;
}
__device__ uint32_t folded(Wide value) {
  return static_cast<uint32_t>(value) ^ static_cast<uint32_t>(value >> 32) * 3 ^
         static_cast<uint32_t>(value >> 64) * 5 ^ static_cast<uint32_t>(value >> 96) * 7;
}
struct divide_128 {
  static constexpr const char* kName = "divide_128";
  static __device__ void run(const uint32_t* in, uint32_t* out) {
    const Wide a = wide(in, 4), b = wide(in + 2, 1 + in[1] % 4) + 1;
    out[0] = folded(b == 0 ? a : a / b);
    out[1] = folded(b == 0 ? a : a % b);
  }
};
struct divide_signed_128 {
  static constexpr const char* kName = "divide_signed_128";
  static __device__ void run(const uint32_t* in, uint32_t* out) {
    __extension__ using Signed = __int128;
    const Signed a = static_cast<Signed>(wide(in, 4)),
                 b = -static_cast<Signed>(wide(in + 2, 1 + in[1] % 3)) - 1;
    out[0] = folded(static_cast<Wide>(a / b));
    out[1] = folded(static_cast<Wide>(a % b));
  }
};

template <class Sequence>
__global__ void run_all(const uint32_t* in, uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Sequence::run(in + 6 * i, out + 2 * i);
}

/// SplitMix64 (Steele et al., 2014), with occasional words of only zeros or only ones.
std::vector<uint32_t> words() {
  std::vector<uint32_t> all(6 * kCases);
  uint64_t state = 1;
  for (uint32_t& word : all) {
    uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    const uint32_t kind = z >> 61U;
    word = kind == 0   ? 0
           : kind == 1 ? 0xFFFFFFFFU
           : kind == 2 ? static_cast<uint32_t>(z) % 3
                       : static_cast<uint32_t>(z);
  }
  return all;
}

template <class Sequence>
void print_hash(const uint32_t* in, uint32_t* out) {
  std::vector<uint32_t> results(2 * kCases);
  run_all<Sequence><<<kCases / 128, 128>>>(in, out);
  cudaMemcpy(results.data(), out, results.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a, by words
  for (const uint32_t result : results) hash = (hash ^ result) * 0x100000001B3U;
  std::printf("%s %016llx\n", Sequence::kName, static_cast<unsigned long long>(hash));
}

template <class... Sequences>
void print_all(const uint32_t* in, uint32_t* out) {
  (print_hash<Sequences>(in, out), ...);
}

}  // namespace

extern "C" int run(const char*) {
  const std::vector<uint32_t> inputs = words();
  uint32_t *in = nullptr, *out = nullptr;
  cudaMalloc(&in, inputs.size() * sizeof(uint32_t));
  cudaMalloc(&out, 2 * kCases * sizeof(uint32_t));
  cudaMemcpy(in, inputs.data(), inputs.size() * sizeof(uint32_t), cudaMemcpyHostToDevice);
  print_all<sub_subc, sub_addc, sub_addc_0, sub_subc_addc, add_subc, add_addc_subc, mad_addc, mad_subc,
            mad_hi_addc, sub_madc, add_madc_hi, mad_madc, sub_subc_s32, sub_addc_64, divide_128,
            divide_signed_128>(in, out);
  cudaFree(in);
  cudaFree(out);
  return 0;
}

#ifdef WITH_MAIN
int main() { return run(""); }
#endif
