// Matrix products on tensor cores, as programs for real GPUs write them: with <mma.h> for every type,
// and with inline PTX. Inputs are small whole numbers, so that results are exact. programs_test.cpp checks
// every line that this program prints.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace {

namespace wmma = nvcuda::wmma;

constexpr int kSize = 64;       // of all matrices
constexpr int kWarps = 4;       // of a block
constexpr int kPitch = 64 + 8;  // of tiles in shared memory: rows begin in different banks

// ---- with <mma.h>: a warp computes a tile of C

/// The type in memory of matrix elements, for a fragment's element type.
template <class T>
struct Memory {
  using type = T;
};
template <>
struct Memory<wmma::precision::tf32> {
  using type = float;
};

template <class T, class Sum, int kM, int kN, int kK, class LayoutA, class LayoutB>
__global__ void multiply(const typename Memory<T>::type* a, const typename Memory<T>::type* b, Sum* c) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int row = warp / (kSize / kN) * kM, column = warp % (kSize / kN) * kN;
  if (row >= kSize) return;
  constexpr bool kRowsOfA = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool kRowsOfB = std::is_same<LayoutB, wmma::row_major>::value;
  wmma::fragment<wmma::matrix_a, kM, kN, kK, T, LayoutA> left;
  wmma::fragment<wmma::matrix_b, kM, kN, kK, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, kM, kN, kK, Sum> sum;
  wmma::fill_fragment(sum, Sum(1));
  for (int k = 0; k < kSize; k += kK) {
    wmma::load_matrix_sync(left, a + (kRowsOfA ? row * kSize + k : k * kSize + row), kSize);
    wmma::load_matrix_sync(right, b + (kRowsOfB ? k * kSize + column : column * kSize + k), kSize);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
  wmma::store_matrix_sync(c + row * kSize + column, sum, kSize, wmma::mem_row_major);
}

int left_value(int row, int k) { return (row * 5 + k * 3) % 7; }
int right_value(int k, int column) { return (k * 11 + column) % 5; }

template <class T>
T* to_device(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

/// Returns how many elements differ from 2 (A · B + 1).
template <class Sum>
int wrong(const Sum* device_c) {
  std::vector<Sum> c(kSize * kSize);
  cudaMemcpy(c.data(), device_c, c.size() * sizeof(Sum), cudaMemcpyDeviceToHost);
  int count = 0;
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      int sum = 1;
      for (int k = 0; k < kSize; ++k) sum += left_value(row, k) * right_value(k, column);
      count += static_cast<double>(c[row * kSize + column]) != 2.0 * sum;
    }
  }
  return count;
}

template <class T, class Sum, int kM, int kN, int kK, bool kRowsOfA, bool kRowsOfB>
int run_layout() {
  using Element = typename Memory<T>::type;
  std::vector<Element> a(kSize * kSize), b(kSize * kSize);
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kSize; ++k) {
      a[kRowsOfA ? i * kSize + k : k * kSize + i] =
          static_cast<Element>(static_cast<float>(left_value(i, k)));
      b[kRowsOfB ? k * kSize + i : i * kSize + k] =
          static_cast<Element>(static_cast<float>(right_value(k, i)));
    }
  }
  Element *device_a = to_device(a), *device_b = to_device(b);
  Sum* device_c = to_device(std::vector<Sum>(kSize * kSize));
  using LayoutA = std::conditional_t<kRowsOfA, wmma::row_major, wmma::col_major>;
  using LayoutB = std::conditional_t<kRowsOfB, wmma::row_major, wmma::col_major>;
  const int blocks = (kSize / kM * (kSize / kN) + kWarps - 1) / kWarps;
  multiply<T, Sum, kM, kN, kK, LayoutA, LayoutB><<<blocks, 32 * kWarps>>>(device_a, device_b, device_c);
  const int count = wrong(device_c);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  return count;
}

template <class T, class Sum, int kM, int kN, int kK>
void run_type(const char* name) {
  const int count =
      run_layout<T, Sum, kM, kN, kK, true, false>() + run_layout<T, Sum, kM, kN, kK, false, true>();
  std::printf("%s %d\n", name, count);
}

void all_types() {
  run_type<half, float, 16, 16, 16>("f16");
  run_type<half, float, 32, 8, 16>("f16 32 8");
  run_type<half, float, 8, 32, 16>("f16 8 32");
  run_type<__nv_bfloat16, float, 16, 16, 16>("bf16");
  run_type<wmma::precision::tf32, float, 16, 16, 8>("tf32");
  run_type<signed char, int, 16, 16, 16>("s8");
  run_type<unsigned char, int, 8, 32, 16>("u8");
  run_type<double, double, 8, 8, 4>("f64");
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// ---- with inline PTX: cp.async copies tiles to shared memory, ldmatrix reads them

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// C = 2 (A · B + 1), both matrices row-major. Warp w computes rows 16 w … of C.
__global__ void multiply_by_hand(const half* a, const half* b, float* c) {
  __shared__ __align__(16) half left[kSize][kPitch], right[kSize][kPitch];
  for (int i = threadIdx.x; i < kSize * kSize / 8; i += blockDim.x) {
    const int row = i / (kSize / 8), column = i % (kSize / 8) * 8;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(&left[row][column])),
                 "l"(a + row * kSize + column));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(&right[row][column])),
                 "l"(b + row * kSize + column));
  }
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16;
  for (int column = 0; column < kSize; column += 8) {
    float sum[4] = {1, 1, 1, 1};
    for (int k = 0; k < kSize; k += 16) {
      std::uint32_t x[4], y[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(shared_address(&left[first + lane % 16][k + lane / 16 * 8])));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(y[0]), "=r"(y[1])
                   : "r"(shared_address(&right[k + lane % 16][column])));
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 4; ++i)
      c[(first + lane / 4 + i / 2 * 8) * kSize + column + lane % 4 * 2 + i % 2] = 2 * sum[i];
  }
}

void by_hand() {
  std::vector<half> a(kSize * kSize), b(kSize * kSize);
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kSize; ++k) {
      a[i * kSize + k] = __float2half(static_cast<float>(left_value(i, k)));
      b[k * kSize + i] = __float2half(static_cast<float>(right_value(k, i)));
    }
  }
  half *device_a = to_device(a), *device_b = to_device(b);
  float* device_c = to_device(std::vector<float>(kSize * kSize));
  multiply_by_hand<<<1, kSize / 16 * 32>>>(device_a, device_b, device_c);
  std::printf("by hand %d\n", wrong(device_c));
}

// ---- mistakes

__global__ void load_too_far(const half* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::load_matrix_sync(left, a + 16, 16);  // faults are reported at this line
  c[threadIdx.x] = __half2float(left.x[0]);
}
__global__ void load_own_tile(const half* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::load_matrix_sync(left, a + threadIdx.x * 16, 16);  // faults are reported at this line
  c[threadIdx.x] = __half2float(left.x[0]);
}
__global__ void load_in_branch(const half* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fill_fragment(left, __float2half(0.0F));
  if (threadIdx.x < 16) wmma::load_matrix_sync(left, a, 16);  // faults are reported at this line
  c[threadIdx.x] = __half2float(left.x[0]);
}

void mistake(void (*kernel)(const half*, float*)) {
  const half* a = to_device(std::vector<half>(256));
  float* c = to_device(std::vector<float>(32));
  kernel<<<1, 32>>>(a, c);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

}  // namespace

extern "C" int run(const char* mode) {
  const auto is = [&](const char* name) { return std::strcmp(mode, name) == 0; };
  if (is("types")) return all_types(), 0;
  if (is("by-hand")) return by_hand(), 0;
  if (is("too-far")) return mistake(load_too_far), 0;
  if (is("own-tile")) return mistake(load_own_tile), 0;
  if (is("branch")) return mistake(load_in_branch), 0;
  return 1;
}
