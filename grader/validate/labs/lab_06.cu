// Lab 06, min-plus product: lab_driver.cuh documents this program.
#include "lab/min_plus.hpp"
#include "lab_driver.cuh"

using validate::Array;

namespace {

void call_all() {
  for (const int n : {65, 100}) {
    constexpr int kPadded = 128;
    const std::vector<float> d = validate::values<float>(static_cast<std::size_t>(n) * n);
    std::vector<float> r(d.size());
    step_v1(r.data(), d.data(), n);
    step(r.data(), d.data(), n);
    const Array<float> in(n * n), padded(kPadded * kPadded), transposed(kPadded * kPadded);
    pad_transpose(in, padded, transposed, n, kPadded);
  }
}

/// Times whole calls, including their allocations and copies.
void time_all(validate::Table& table, const std::string& name) {
  for (const int n : {256, 512, 1024, 2048}) {
    const std::vector<float> d = validate::values<float>(static_cast<std::size_t>(n) * n);
    std::vector<float> r(d.size());
    table.row("lab_06", name + "_v1", n, [&] { step_v1(r.data(), d.data(), n); });
    table.row("lab_06", name, n, [&] { step(r.data(), d.data(), n); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
