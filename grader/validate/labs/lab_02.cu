// Lab 02, tiled matrix product: lab_driver.cuh documents this program.
#include "lab/tiled_matmul.hpp"
#include "lab_driver.cuh"

using validate::Array;

namespace {

struct Product {
  int m, k, n;
};

void call_all() {
  for (const auto& [m, k, n] : {Product{256, 256, 256}, Product{100, 100, 100}, Product{257, 16, 3}}) {
    const Array<float> M(m * k), N(k * n), P(m * n);
    tiled_matmul(M, N, P, m, k, n);
    tiled_matmul_dynamic(M, N, P, m, k, n);
  }
}

void time_all(validate::Table& table, const std::string& name) {
  for (const int n : {256, 512, 1024, 2048}) {
    const Array<float> M(n * n), N(n * n), P(n * n);
    table.row("lab_02", name, n, [&] { tiled_matmul(M, N, P, n, n, n); });
    table.row("lab_02", name + "_dynamic", n, [&] { tiled_matmul_dynamic(M, N, P, n, n, n); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
