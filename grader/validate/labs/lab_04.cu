// Lab 04, coalescing: lab_driver.cuh documents this program. block_transpose_is_safe() needs no GPU.
#include "lab/coalescing.hpp"
#include "lab_driver.cuh"

using validate::Array;

namespace {

const Point* points(const Array<float>& coordinates) {
  return reinterpret_cast<const Point*>(static_cast<const float*>(coordinates));
}

void call_all() {
  const Array<float> a(300 * 300), b(300 * 300), c(300 * 300), d(300);
  transpose(a, b, 100, 67);
  transpose(a, b, 257, 300);
  block_transpose(b, 35, 20, 5);
  block_transpose(b, 96, 64, 32);
  matmul_corner_turning(a, b, c, 100, 100, 100);
  matmul_corner_turning(a, b, c, 257, 16, 3);
  matvec(a, d, c, 257, 300);
  aos_to_soa(points(a), b, c, d, 257);
}

void time_squares(validate::Table& table, const std::string& name) {
  for (const int n : {1024, 4096}) {
    const Array<float> A(n * n), out(n * n), x(n);
    table.row("lab_04", name + "_transpose", n, [&] { transpose(A, out, n, n); });
    table.row("lab_04", name + "_matvec", n, [&] { matvec(A, x, out, n, n); });
  }
  for (const int n : {256, 1024}) {
    const Array<float> M(n * n), N(n * n), P(n * n);
    table.row("lab_04", name + "_corner_turning", n, [&] { matmul_corner_turning(M, N, P, n, n, n); });
  }
}

void time_all(validate::Table& table, const std::string& name) {
  time_squares(table, name);
  for (const int n : {1048576, 16777216}) {
    const Array<float> in(3 * n), x(n), y(n), z(n);
    table.row("lab_04", name + "_aos_to_soa", n, [&] { aos_to_soa(points(in), x, y, z, n); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
