// What tensor cores make of random bits, NaN, infinities and subnormal numbers among them: a line with a name
// and a hash of all results for each instruction. tensor_bits.txt in this folder is what an H200 printed
// (nvcc -arch=sm_90 -DWITH_MAIN -o tensor_bits tensor_bits.cu); programs_test.cpp compares.

#include <cstdint>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kWarps = 256;

/// Sizes of an instruction's operands, in 32-bit registers per lane.
struct Sizes {
  int a, b, c, d;
};

#define MMA(NAME, TYPES, A, B, C, D, ...)                                                              \
  struct NAME {                                                                                        \
    static constexpr const char* kName = TYPES;                                                        \
    static constexpr Sizes kSizes{A, B, C, D};                                                         \
    static __device__ void run(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) { \
      asm volatile("mma.sync.aligned." TYPES " " __VA_ARGS__);                                         \
    }                                                                                                  \
  };
#define D2 "{%0, %1}, "
#define D4 "{%0, %1, %2, %3}, "
#define TO2 : "=r"(d[0]), "=r"(d[1])
#define TO4 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
#define A1 "r"(a[0])
#define A2 "r"(a[0]), "r"(a[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define B1 "r"(b[0])
#define B2 "r"(b[0]), "r"(b[1])
#define C2 "r"(c[0]), "r"(c[1])
#define C4 "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
#define LONG4 D4 "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" TO4 : A4, B2, C4
#define SHORT4 D4 "{%4, %5}, {%6}, {%7, %8, %9, %10};" TO4 : A2, B1, C4
#define LONG2 D2 "{%2, %3, %4, %5}, {%6, %7}, {%8, %9};" TO2 : A4, B2, C2
#define SHORT2 D2 "{%2, %3}, {%4}, {%5, %6};" TO2 : A2, B1, C2
#define TINY D2 "{%2}, {%3}, {%4, %5};" TO2 : A1, B1, C2

MMA(HalfLong, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4, LONG4)
MMA(HalfShort, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 4, SHORT4)
MMA(HalfLongHalf, "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2, LONG2)
MMA(HalfShortHalf, "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 2, SHORT2)
MMA(BfloatLong, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4, LONG4)
MMA(BfloatShort, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, 4, SHORT4)
MMA(Tf32Long, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4, LONG4)
MMA(Tf32Short, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 4, SHORT4)
MMA(BytesLong, "m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4, 4, LONG4)
MMA(BytesShort, "m16n8k16.row.col.s32.u8.s8.s32", 2, 1, 4, 4, SHORT4)
MMA(BytesTiny, "m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, 2, TINY)
MMA(BytesClamped, "m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, 2, 4, 4, LONG4)

template <class Instruction>
__global__ void apply(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  constexpr Sizes kSizes = Instruction::kSizes;
  const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
  Instruction::run(a + lane * kSizes.a, b + lane * kSizes.b, c + lane * kSizes.c, d + lane * kSizes.d);
}

__global__ void multiply_doubles(const double* a, const double* b, const double* c, double* d) {
  const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=d"(d[2 * lane]), "=d"(d[2 * lane + 1])
               : "d"(a[lane]), "d"(b[lane]), "d"(c[2 * lane]), "d"(c[2 * lane + 1]));
}

/// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

template <class T>
T* to_device(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

/// Prints the FNV-1a hash of the bytes.
template <class T>
void report(const char* name, const char* kind, T* memory, std::size_t count) {
  std::vector<T> values(count);
  const cudaError_t error = cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  uint64_t hash = 0xCBF29CE484222325U;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3U;
  if (error == cudaSuccess)
    std::printf("%s %s %016llx\n", name, kind, (unsigned long long)hash);
  else
    std::printf("%s %s\n", name, cudaGetErrorName(error));
}

/// The bits `keep` of every word are random, all others are those of `fixed`. This can make exponents
/// similar, so that no term is too small to affect the sum.
template <class Instruction>
void show(const char* kind, uint32_t keep, uint32_t fixed, uint32_t keep_of_sum, uint32_t fixed_of_sum) {
  constexpr Sizes kSizes = Instruction::kSizes;
  Random random(kSizes.a * 100 + kSizes.d);
  const auto words = [&](int each, uint32_t kept, uint32_t set) {
    std::vector<uint32_t> all(static_cast<std::size_t>(each) * kWarps * 32);
    for (uint32_t& word : all) word = (static_cast<uint32_t>(random.next()) & kept) | set;
    return all;
  };
  uint32_t* a = to_device(words(kSizes.a, keep, fixed));
  uint32_t* b = to_device(words(kSizes.b, keep, fixed));
  uint32_t* c = to_device(words(kSizes.c, keep_of_sum, fixed_of_sum));
  uint32_t* d = to_device(words(kSizes.d, 0, 0));
  apply<Instruction><<<kWarps / 4, 128>>>(a, b, c, d);
  report(Instruction::kName, kind, d, static_cast<std::size_t>(kSizes.d) * kWarps * 32);
  for (uint32_t* memory : {a, b, c, d}) cudaFree(memory);
}

template <class Instruction>
void show_any() {
  show<Instruction>("any", ~0U, 0, ~0U, 0);
}

// Exponents from -7 to 0 for factors, from -15 to 0 for f32.
constexpr uint32_t kNearHalves = 0x9FFF9FFFU, kFixedHalves = 0x20002000U;
constexpr uint32_t kNearBfloats = 0x83FF83FFU, kFixedBfloats = 0x3C003C00U;
constexpr uint32_t kNearSingles = 0x87FFFFFFU, kFixedSingles = 0x38000000U;

void show_doubles() {
  Random random(7);
  const auto numbers = [&](int each) {
    std::vector<double> all(static_cast<std::size_t>(each) * kWarps * 32);
    for (double& number : all) {
      const uint64_t bits = random.next();
      const double magnitude = (double)(bits >> 12) * (1.0 / (1 << (bits & 15U)));
      number = (bits & 16U) != 0 ? -magnitude : magnitude;
    }
    return all;
  };
  double* a = to_device(numbers(1));
  double* b = to_device(numbers(1));
  double* c = to_device(numbers(2));
  double* d = to_device(numbers(2));
  multiply_doubles<<<kWarps / 4, 128>>>(a, b, c, d);
  report("m8n8k4.row.col.f64.f64.f64.f64", "near", d, std::size_t{2} * kWarps * 32);
  for (double* memory : {a, b, c, d}) cudaFree(memory);
}

}  // namespace

extern "C" int run(const char*) {
  show_any<HalfLong>();
  show<HalfLong>("near", kNearHalves, kFixedHalves, kNearSingles, kFixedSingles);
  show_any<HalfShort>();
  show<HalfShort>("near", kNearHalves, kFixedHalves, kNearSingles, kFixedSingles);
  show_any<HalfLongHalf>();
  show<HalfLongHalf>("near", kNearHalves, kFixedHalves, kNearHalves, kFixedHalves);
  show_any<HalfShortHalf>();
  show<HalfShortHalf>("near", kNearHalves, kFixedHalves, kNearHalves, kFixedHalves);
  show_any<BfloatLong>();
  show<BfloatLong>("near", kNearBfloats, kFixedBfloats, kNearSingles, kFixedSingles);
  show_any<BfloatShort>();
  show<BfloatShort>("near", kNearBfloats, kFixedBfloats, kNearSingles, kFixedSingles);
  show_any<Tf32Long>();
  show<Tf32Long>("near", kNearSingles, kFixedSingles, kNearSingles, kFixedSingles);
  show_any<Tf32Short>();
  show<Tf32Short>("near", kNearSingles, kFixedSingles, kNearSingles, kFixedSingles);
  show_any<BytesLong>();
  show_any<BytesShort>();
  show_any<BytesTiny>();
  show_any<BytesClamped>();
  show_doubles();
  return 0;
}

#ifdef WITH_MAIN
int main() { return run(""); }
#endif
