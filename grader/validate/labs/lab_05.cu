// Lab 05, pinned memory and streams: lab_driver.cuh documents this program.
#include <algorithm>

#include "lab/pinned_streams.hpp"
#include "lab_driver.cuh"

namespace {

/// An array in pinned host memory that contains values().
class Pinned {
 public:
  explicit Pinned(std::size_t count) {
    validate::check(cudaMallocHost(&elements_, count * sizeof(float)), "cudaMallocHost");
    const std::vector<float> values = validate::values<float>(count);
    std::copy(values.begin(), values.end(), elements_);
  }
  ~Pinned() { cudaFreeHost(elements_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  operator float*() const { return elements_; }

 private:
  float* elements_ = nullptr;
};

void call_all() {
  constexpr int kElements = 1021, kSegment = 400, kRounds = 3;
  const std::vector<float> a = validate::values<float>(kElements), b = a;
  std::vector<float> c(kElements);
  add_staged(a.data(), b.data(), c.data(), kElements, kSegment, kRounds);
  add_streams(a.data(), b.data(), c.data(), kElements, kSegment, kRounds);
  const Pinned pinned_a(kElements), pinned_b(kElements), pinned_c(kElements);
  add_pipelined(pinned_a, pinned_b, pinned_c, kElements, kSegment, kRounds);
  int facts[4];
  device_facts(facts, kElements);
}

/// Times whole calls, including their allocations. Sixteen segments and 4,000 rounds, as in the lab's
/// speed-up. The other two functions spend time of the host on copies and on pinning, which the virtual GPU
/// does not model.
void time_all(validate::Table& table, const std::string& name) {
  for (const int n : {1048576, 4194304, 16777216}) {
    const Pinned a(n), b(n), c(n);
    table.row("lab_05", name, n, [&] { add_pipelined(a, b, c, n, n / 16, 4000); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
