// Times of course kernels, as CSV (kernel_timer.cuh documents the columns). Builds with nvcc only:
//
//   nvcc -O3 -arch=sm_90 -o kernel_times kernel_times.cu && ./kernel_times > measured.csv
//
// compare_times.sh makes the table that compares measured times with those of the virtual GPU's model.
#include "compute_kernels.cuh"
#include "kernel_timer.cuh"
#include "memory_kernels.cuh"
#include "texture_kernels.cuh"

namespace {

using namespace validate;

constexpr int kMebi = 1 << 20;
constexpr int kThreads = 256;
constexpr int kLargeFloats = 64 * kMebi;  // 256 MiB: five times the L2 cache of an H200

struct Buffers {
  float* a = device_array<float>(kLargeFloats);
  float* b = device_array<float>(kLargeFloats);
  float* c = device_array<float>(4 * kMebi);
  unsigned char* bytes = device_array<unsigned char>(16 * kMebi);
  unsigned char* zeros = device_array<unsigned char>(16 * kMebi);
  unsigned* bins = device_array<unsigned>(256);

  Buffers() {
    fill_index<<<blocks_for(kLargeFloats, kThreads), kThreads>>>(a, kLargeFloats);
    fill_index<<<blocks_for(kLargeFloats, kThreads), kThreads>>>(b, kLargeFloats);
    fill_bytes<<<blocks_for(16 * kMebi, kThreads), kThreads>>>(bytes, 16 * kMebi);
    check(cudaMemset(zeros, 0, 16 * kMebi), "cudaMemset");
    check(cudaDeviceSynchronize(), "filling the arrays");
  }
};

void time_launches(Table& table) {
  for (const unsigned blocks : {1U, 132U, 2112U, 67584U})
    table.row("launch", "empty", blocks, [=] { empty<<<blocks, kThreads>>>(); });
}

void time_copies(Table& table, const Buffers& on) {
  for (const int n : {kMebi / 16, kMebi, 4 * kMebi, 16 * kMebi, kLargeFloats}) {
    const unsigned blocks = blocks_for(n, kThreads);
    table.row("copy", "copy", n, [=] { copy<<<blocks, kThreads>>>(on.a, on.b, n); });
    table.row("copy", "saxpy", n, [=] { saxpy<<<blocks, kThreads>>>(n, 0.5F, on.a, on.b); });
  }
  const int n = kLargeFloats;
  table.row("copy", "copy_float4", n, [=] {
    copy_float4<<<blocks_for(n / 4, kThreads), kThreads>>>(reinterpret_cast<const float4*>(on.a),
                                                           reinterpret_cast<float4*>(on.b), n / 4);
  });
  for (const int stride : {2, 4, 8, 32}) {
    table.row("copy", "copy_strided_" + std::to_string(stride), n / stride,
              [=] { copy_strided<<<blocks_for(n / stride, kThreads), kThreads>>>(on.a, on.b, n, stride); });
  }
  for (const unsigned blocks : {1U, 16U, 132U, 528U, 1056U}) {
    table.row("copy", "saxpy_grid_stride_" + std::to_string(blocks), 16 * kMebi,
              [=] { saxpy_grid_stride<<<blocks, kThreads>>>(16 * kMebi, 0.5F, on.a, on.b); });
  }
}

void time_transposes(Table& table, const Buffers& on) {
  for (const int n : {1024, 4096}) {
    const dim3 block(kTransposeTile, kTransposeRows);
    const dim3 grid(static_cast<unsigned>(n) / kTransposeTile, static_cast<unsigned>(n) / kTransposeTile);
    table.row("transpose", "naive", n, [=] { transpose_naive<<<grid, block>>>(on.a, on.b, n); });
    table.row("transpose", "tiled", n, [=] { transpose_tiled<0><<<grid, block>>>(on.a, on.b, n); });
    table.row("transpose", "tiled_padded", n, [=] { transpose_tiled<1><<<grid, block>>>(on.a, on.b, n); });
  }
}

template <int kTile>
void time_tiled(Table& table, const Buffers& on, int n) {
  const dim3 grid(blocks_for(n, kTile), blocks_for(n, kTile));
  table.row("matmul", "tiled_" + std::to_string(kTile), n,
            [=] { matmul_tiled<kTile><<<grid, dim3(kTile, kTile)>>>(on.a, on.b, on.c, n); });
}

void time_products(Table& table, const Buffers& on) {
  for (const int n : {256, 512, 1024, 2048}) {
    for (const int side : {16, 32}) {
      const dim3 grid(blocks_for(n, side), blocks_for(n, side));
      table.row("matmul", "naive_" + std::to_string(side), n,
                [=] { matmul_naive<<<grid, dim3(side, side)>>>(on.a, on.b, on.c, n); });
    }
    const dim3 grid(blocks_for(n, 16), blocks_for(n, 16));
    if (n <= 1024) {
      table.row("matmul", "uncoalesced_16", n,
                [=] { matmul_uncoalesced<<<grid, dim3(16, 16)>>>(on.a, on.b, on.c, n); });
      table.row("matmul", "double_16", n, [=] {
        matmul_double<<<grid, dim3(16, 16)>>>(reinterpret_cast<const double*>(on.a),
                                              reinterpret_cast<const double*>(on.b),
                                              reinterpret_cast<double*>(on.c), n);
      });
    }
    time_tiled<8>(table, on, n);
    time_tiled<16>(table, on, n);
    time_tiled<32>(table, on, n);
    table.row("matmul", "register_blocked", n, [=] {
      matmul_register_blocked<<<dim3(blocks_for(n, 64), blocks_for(n, 64)), dim3(16, 16)>>>(on.a, on.b, on.c,
                                                                                            n);
    });
  }
}

void time_reductions(Table& table, const Buffers& on) {
  for (const int n : {kMebi, 16 * kMebi}) {
    const unsigned blocks = blocks_for(n, kThreads);
    table.row("reduce", "divergent", n, [=] { reduce_divergent<<<blocks, kThreads>>>(on.a, on.c); });
    table.row("reduce", "bank_conflicts", n,
              [=] { reduce_bank_conflicts<<<blocks, kThreads>>>(on.a, on.c); });
    table.row("reduce", "contiguous", n, [=] { reduce_contiguous<<<blocks, kThreads>>>(on.a, on.c); });
    table.row("reduce", "shuffle", n, [=] { reduce_shuffle<<<1056, kThreads>>>(on.a, on.c, n); });
    table.row("reduce", "scan_blocks", n, [=] { scan_blocks<<<blocks, kThreads>>>(on.a, on.b); });
  }
  table.row("reduce", "atomic", kMebi,
            [=] { reduce_atomic<<<blocks_for(kMebi, kThreads), kThreads>>>(on.a, on.c, kMebi); });
}

void time_matvec(Table& table, const Buffers& on) {
  for (const int n : {1024, 8192}) {
    table.row("matvec", "thread_per_row", n,
              [=] { matvec_thread_per_row<<<blocks_for(n, kThreads), kThreads>>>(on.a, on.b, on.c, n); });
    table.row("matvec", "warp_per_row", n,
              [=] { matvec_warp_per_row<<<blocks_for(32 * n, kThreads), kThreads>>>(on.a, on.b, on.c, n); });
  }
}

void time_histograms(Table& table, const Buffers& on) {
  const int n = 16 * kMebi;
  table.row("histogram", "global", n, [=] { histogram_global<<<1056, kThreads>>>(on.bytes, on.bins, n); });
  table.row("histogram", "shared", n, [=] { histogram_shared<<<1056, kThreads>>>(on.bytes, on.bins, n); });
  const int few = kMebi;
  table.row("histogram", "global_one_value", few,
            [=] { histogram_global<<<1056, kThreads>>>(on.zeros, on.bins, few); });
  table.row("histogram", "shared_one_value", few,
            [=] { histogram_shared<<<1056, kThreads>>>(on.zeros, on.bins, few); });
}

void time_others(Table& table, const Buffers& on) {
  for (const int n : {512, 1024}) {
    const dim3 grid(blocks_for(n, 16), blocks_for(n, 16));
    table.row("minplus", "naive", n, [=] { minplus_naive<<<grid, dim3(16, 16)>>>(on.a, on.c, n); });
    const dim3 blocked(blocks_for(n, 64), blocks_for(n, 64));
    table.row("minplus", "register_blocked", n,
              [=] { minplus_register_blocked<<<blocked, dim3(8, 8)>>>(on.a, on.b, on.c, n); });
  }
  const auto* bodies = reinterpret_cast<const float4*>(on.a);
  auto* forces = reinterpret_cast<float4*>(on.b);
  for (const int n : {4096, 16384})
    table.row("others", "nbody", n, [=] { nbody<<<blocks_for(n, 256), 256>>>(bodies, forces, n); });
  table.row("others", "mandelbrot", 1024,
            [=] { mandelbrot<<<dim3(64, 64), dim3(16, 16)>>>(reinterpret_cast<int*>(on.c), 1024, 256); });
  table.row("others", "blur_5x5", 2048, [=] { blur<<<dim3(128, 128), dim3(16, 16)>>>(on.a, on.c, 2048, 2); });
}

/// One warp shows latencies, 8 or 16 warps in each of 4 SM's schedulers show throughputs.
void time_chains(Table& table, const Buffers& on) {
  constexpr int kSteps = 16384;
  auto* words = reinterpret_cast<unsigned*>(on.b);
  auto* doubles = reinterpret_cast<double*>(on.b);
  for (const unsigned blocks : {1U, 132U, 1056U}) {
    for (const int threads : {32, 128, 256}) {
      if (blocks == 1 && threads != 32) continue;
      const std::string shape = "_" + std::to_string(blocks) + "x" + std::to_string(threads);
      table.row("chain", "fma" + shape, kSteps, [=] { fma_chain<<<blocks, threads>>>(on.b, kSteps); });
      table.row("chain", "integer" + shape, kSteps,
                [=] { integer_chain<<<blocks, threads>>>(words, kSteps); });
      table.row("chain", "double" + shape, kSteps,
                [=] { double_fma_chain<<<blocks, threads>>>(doubles, kSteps); });
      table.row("chain", "rsqrt" + shape, kSteps, [=] { rsqrt_chain<<<blocks, threads>>>(on.b, kSteps); });
    }
  }
}

void time_chases(Table& table) {
  constexpr int kSteps = 16384;
  auto* d_at = device_array<unsigned>(1);
  auto* d_chain = device_array<unsigned>(kLargeFloats);
  const auto chain = [=](int words, int stride) {
    make_chain<<<blocks_for(words, kThreads), kThreads>>>(d_chain, words, stride);
    check(cudaMemset(d_at, 0, sizeof *d_at), "cudaMemset");
  };
  chain(1024, 1);
  table.row("latency", "shared", kSteps, [=] { chase_shared<<<1, 32>>>(d_chain, d_at, kSteps); });
  chain(4096, 32);  // 16 KiB, one line per step
  table.row("latency", "l1", kSteps, [=] { chase_global<<<1, 1>>>(d_chain, d_at, kSteps); });
  chain(2 * kMebi, 32);  // 8 MiB
  table.row("latency", "l2", kSteps, [=] { chase_l2<<<1, 1>>>(d_chain, d_at, kSteps); });
  chain(kLargeFloats, 4096 + 32);  // 2 million steps before a line is read again
  table.row("latency", "dram", kSteps, [=] { chase_l2<<<1, 1>>>(d_chain, d_at, kSteps); });
}

template <class T>
__global__ void texels_of_line(cudaTextureObject_t texture, int* found) {
  fetch_linear<T>(texture, 1, found);
}
template <class T>
__global__ void texels_of_image(cudaTextureObject_t texture, float shift, int* found) {
  fetch_image<T>(texture, shift, found);
}
template <class T>
__global__ void words_of_surface(cudaSurfaceObject_t surface, int* found) {
  read_surface<T>(surface, found);
}
template <class T>
__global__ void words_to_surface(cudaSurfaceObject_t surface) {
  write_surface<T>(surface);
}

/// Streams through memory with one fetch or surface access per thread.
template <class T>
void time_image(Table& table, const std::string& type, int side) {
  int* found = device_array<int>(1);
  const auto image = array_of<T>(side, side);
  const auto point = texture_of(image, Filter::point);
  const auto surface = surface_of(image);
  for (const dim3 block : {dim3(32, 8), dim3(256, 1)}) {
    const dim3 grid(side / block.x, side / block.y);
    const std::string name = "_" + type + "_" + std::to_string(block.x) + "x" + std::to_string(block.y);
    table.row("texture", "image" + name, side,
              [=] { texels_of_image<T><<<grid, block>>>(point, 0.5F, found); });
    table.row("texture", "surface" + name, side,
              [=] { words_of_surface<T><<<grid, block>>>(surface, found); });
    table.row("texture", "to_surface" + name, side, [=] { words_to_surface<T><<<grid, block>>>(surface); });
  }
}

template <class T>
void time_line(Table& table, const std::string& type, int texels) {
  int* found = device_array<int>(1);
  T* zeros = device_array<T>(texels);
  check(cudaMemset(zeros, 0, texels * sizeof(T)), "cudaMemset");
  const auto texture = texture_of(linear_of(zeros, texels), Filter::point);
  table.row("texture", "linear_" + type, texels,
            [=] { texels_of_line<T><<<texels / kThreads, kThreads>>>(texture, found); });
}

void time_textures(Table& table, const Buffers& on) {
  int* found = device_array<int>(1);
  time_line<float>(table, "float", 16 * kMebi);
  time_line<float4>(table, "float4", 16 * kMebi);
  time_image<float>(table, "float", 4096);
  time_image<float4>(table, "float4", 4096);
  time_image<uchar4>(table, "uchar4", 4096);
  const auto image = array_of<float>(4096, 4096);
  const auto point = texture_of(image, Filter::point), filtered = texture_of(image, Filter::linear);
  const auto of_vectors = texture_of(array_of<float4>(2048, 2048), Filter::linear);
  const dim3 block(32, 8);
  table.row("texture", "filtered_float", 4096,
            [=] { texels_of_image<float><<<dim3(128, 512), block>>>(filtered, 1, found); });
  table.row("texture", "filtered_float4", 2048,
            [=] { texels_of_image<float4><<<dim3(64, 256), block>>>(of_vectors, 1, found); });
  table.row("texture", "stencil", 4096, [=] { fetch_stencil<<<dim3(128, 512), block>>>(point, on.b, 4096); });
  for (const int n : {256, 512}) {
    const auto a = texture_of(linear_of(on.a, n * n), Filter::point);
    const auto b = texture_of(array_of<float>(n, n), Filter::point);
    const dim3 grid(n / 16, n / 16);
    table.row("texture", "product", n, [=] { fetch_product<<<grid, dim3(16, 16)>>>(a, a, on.c, n); });
    table.row("texture", "product_2d", n, [=] { fetch_product_2d<<<grid, dim3(16, 16)>>>(b, b, on.c, n); });
  }
  auto* zeros = device_array<int>(1024);
  check(cudaMemset(zeros, 0, 1024 * sizeof(int)), "cudaMemset");
  const auto chain = texture_of(linear_of(zeros, 1024), Filter::point);
  table.row("texture", "chase", 16384, [=] { chase_texels<<<1, 1>>>(chain, 16384, found); });
}

void time_transfers(Table& table, const Buffers& on) {
  constexpr std::size_t kMostBytes = std::size_t{64} * kMebi;
  void* pinned = nullptr;
  check(cudaMallocHost(&pinned, kMostBytes), "cudaMallocHost");
  std::vector<char> pageable(kMostBytes, 1);
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{65536}, std::size_t{kMebi}, kMostBytes}) {
    const auto size = static_cast<long long>(bytes);
    table.row("transfer", "to_device_pinned", size,
              [=] { cudaMemcpyAsync(on.a, pinned, bytes, cudaMemcpyHostToDevice); });
    table.row("transfer", "to_host_pinned", size,
              [=] { cudaMemcpyAsync(pinned, on.a, bytes, cudaMemcpyDeviceToHost); });
    table.row("transfer", "to_device_pageable", size,
              [&] { cudaMemcpy(on.a, pageable.data(), bytes, cudaMemcpyHostToDevice); });
    table.row("transfer", "to_host_pageable", size,
              [&] { cudaMemcpy(pageable.data(), on.a, bytes, cudaMemcpyDeviceToHost); });
    table.row("transfer", "on_device", size,
              [=] { cudaMemcpyAsync(on.b, on.a, bytes, cudaMemcpyDeviceToDevice); });
    table.row("transfer", "memset", size, [=] { cudaMemsetAsync(on.b, 0, bytes); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const validate::Options options = validate::parse(argc, argv);
  cudaDeviceProp device{};
  validate::check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  std::fprintf(stderr, "%s, %d SMs\n", device.name, device.multiProcessorCount);
  validate::Table table(options);
  const Buffers on;
  time_launches(table);
  time_copies(table, on);
  time_transposes(table, on);
  time_products(table, on);
  time_reductions(table, on);
  time_matvec(table, on);
  time_histograms(table, on);
  time_others(table, on);
  time_chains(table, on);
  time_chases(table);
  time_textures(table, on);
  time_transfers(table, on);
  validate::check(cudaDeviceSynchronize(), "the end");
  return 0;
}
