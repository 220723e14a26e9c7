// The lectures' matrix product on the virtual GPU: right results, and the lectures' own figures out of the
// counters.
#include <algorithm>

#include "vgpu/gpu.hpp"

namespace matmul_test {

using vgpu::Counters;
using vgpu::Dim3;

namespace {

struct Product {
  std::vector<float> p;
  vgpu::LaunchRecord record;
};

std::vector<float> values(std::size_t count, unsigned seed) {
  std::vector<float> all(count);
  for (float& value : all) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 24U) - 128;  // small integers: every sum is exact
  }
  return all;
}

std::uint32_t tiles(int n) { return static_cast<std::uint32_t>((n + 15) / 16); }

Product multiply(const char* kernel, int m, int k, int n, unsigned threads = 1) {
  test::Gpu gpu(test::kernel_file("matmul.ptx"), {.cpu_threads = threads});
  const auto size = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
  const auto a = gpu.upload(values(size(m, k), 1));
  const auto b = gpu.upload(values(size(k, n), 2));
  const auto c = *gpu.device.allocate(size(m, n) * sizeof(float));
  auto record = gpu.run(kernel, {tiles(n), tiles(m), 1}, {16, 16, 1}, test::pack(a, b, c, m, k, n));
  return {gpu.download<float>(c, size(m, n)), std::move(record)};
}

std::vector<float> expected(int m, int k, int n) {
  const auto at = [](int row, int columns, int column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  const auto a = values(at(m, k, 0), 1);
  const auto b = values(at(k, n, 0), 2);
  std::vector<float> p(at(m, n, 0));
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      for (int i = 0; i < k; ++i) p[at(row, n, column)] += a[at(row, k, i)] * b[at(i, n, column)];
    }
  }
  return p;
}

double flops(int m, int k, int n) { return 2.0 * m * k * n; }

}  // namespace

TEST_CASE("both matrix products are right for shapes that tiles fit and shapes that they do not") {
  for (const char* kernel : {"naive", "tiled"}) {
    for (const auto& [m, k, n] :
         {std::tuple{64, 64, 64}, {1, 1, 1}, {17, 33, 65}, {31, 1, 57}, {100, 100, 100}}) {
      INFO(kernel << " " << m << " " << k << " " << n);
      CHECK(multiply(kernel, m, k, n).p == expected(m, k, n));
    }
  }
}

TEST_CASE("the naive product requests 4 bytes per floating-point operation") {
  const Counters counters = multiply("naive", 64, 64, 64).record.counters;
  CHECK(static_cast<double>(counters.global_loads.requested_bytes) / flops(64, 64, 64) == 4.0);
}

TEST_CASE("a 16 by 16 tile requests 16 times fewer bytes") {
  const Counters naive = multiply("naive", 64, 64, 64).record.counters;
  const Counters tiled = multiply("tiled", 64, 64, 64).record.counters;
  CHECK(naive.global_loads.requested_bytes == 16 * tiled.global_loads.requested_bytes);
}

TEST_CASE("sectors, wavefronts and barriers of the tiled product match values computed by hand") {
  const Counters counters = multiply("tiled", 64, 64, 64).record.counters;
  constexpr std::uint64_t kBlocks = 16;
  constexpr std::uint64_t kWarps = 8;
  constexpr std::uint64_t kPhases = 4;
  // A warp loads two rows of 16 floats a tile: two times 64 bytes, four sectors.
  CHECK(counters.global_loads.requests == kBlocks * kWarps * kPhases * 2);
  CHECK(counters.global_loads.sectors == counters.global_loads.requests * 4);
  CHECK(counters.global_stores.requests == kBlocks * kWarps);
  CHECK(counters.global_stores.sectors == counters.global_stores.requests * 4);
  // Two words broadcast to half a warp each, or 16 words read twice: no conflicts.
  CHECK(counters.shared_loads.requests == kBlocks * kWarps * kPhases * 32);
  CHECK(counters.shared_loads.wavefronts == counters.shared_loads.requests);
  CHECK(counters.shared_stores.wavefronts == counters.shared_stores.requests);
  CHECK(counters.barriers == kBlocks * kWarps * kPhases * 2);
  CHECK(counters.divergent_branches == 0);
}

TEST_CASE("loading M tiles of a 100 by 100 product diverges in 336 and 14 warp-phases") {
  const auto divergent_loads_of_m = [](int rows) {
    constexpr std::uint32_t kLoadOfM = 22;  // line of matmul.cu
    std::uint64_t count = 0;
    for (const vgpu::LineCounters& line : multiply("tiled", rows, 100, 100, 2).record.lines) {
      if (line.line == kLoadOfM) count += line.counters.divergent_branches;
    }
    return count;
  };
  constexpr int kRowsOfWholeTiles = 96;
  CHECK(divergent_loads_of_m(kRowsOfWholeTiles) == 336);
  CHECK(divergent_loads_of_m(100) == 336 + 14);
}

TEST_CASE("results and counters do not depend on the number of threads") {
  const Product one = multiply("tiled", 100, 70, 90, 1);
  for (const unsigned threads : {2U, 5U}) {
    const Product other = multiply("tiled", 100, 70, 90, threads);
    CHECK(one.p == other.p);
    CHECK(one.record.counters == other.record.counters);
  }
}

TEST_CASE(
    "the naive product transfers 2 bytes a floating-point operation, with tiles of 16 it is a quarter") {
  const auto transferred = [](const char* kernel) {
    const Counters counters = multiply(kernel, 64, 64, 64).record.counters;
    return static_cast<double>(counters.global_loads.sectors * vgpu::kSectorBytes) / flops(64, 64, 64);
  };
  CHECK(transferred("naive") == 2.0);
  CHECK(transferred("tiled") == 0.25);
}

}  // namespace matmul_test
