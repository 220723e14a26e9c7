// Times of lab 02's product, as CSV (kernel_timer.cuh says what the columns are). Linked once with the
// solution and once with the baseline, which have the same names; the first argument tells them apart:
//
//   nvcc -O3 -arch=sm_90 -I labs/include -o solution lab_02_times.cu
//   solutions/02-tiled-matmul/tiled_matmul.cu
//   ./solution solution > solution.csv
#include "kernel_timer.cuh"
#include "lab/tiled_matmul.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: lab_02_times NAME [option…]\n", stderr), 2;
  const std::string name = argv[1];
  validate::Table table(validate::parse(argc - 1, argv + 1));
  for (const int n : {256, 512, 1024, 2048}) {
    const std::size_t count = static_cast<std::size_t>(n) * n;
    auto *M = validate::device_array<float>(count), *N = validate::device_array<float>(count),
         *P = validate::device_array<float>(count);
    validate::check(cudaMemset(M, 0, count * sizeof(float)), "cudaMemset");
    validate::check(cudaMemset(N, 0, count * sizeof(float)), "cudaMemset");
    table.row("lab_02", name, n, [=] { tiled_matmul(M, N, P, n, n, n); });
    table.row("lab_02", name + "_dynamic", n, [=] { tiled_matmul_dynamic(M, N, P, n, n, n); });
    for (float* matrix : {M, N, P}) cudaFree(matrix);
  }
  return 0;
}
