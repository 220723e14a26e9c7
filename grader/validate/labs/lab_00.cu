// Lab 00, warm-up: lab_driver.cuh documents this program.
#include "lab/saxpy.hpp"
#include "lab_driver.cuh"

using validate::Array;

namespace {

constexpr float kA = 2.0F;

void call_all() {
  for (const int n : {1000, 300007}) {
    const Array<float> x(n), y(n);
    saxpy(n, kA, x, y);
    for (const int block_threads : {100, 1024})
      validate::check(saxpy_in_blocks(n, kA, x, y, block_threads), "saxpy_in_blocks");
  }
}

void time_all(validate::Table& table, const std::string& name) {
  for (const int n : {131072, 1048576, 16777216}) {
    const Array<float> x(n), y(n);
    table.row("lab_00", name, n, [&] { saxpy(n, kA, x, y); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
