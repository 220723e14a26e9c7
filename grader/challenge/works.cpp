#include "challenge/works.hpp"

#include <algorithm>
#include <array>

#include "challenge/device.hpp"
#include "challenge/programs.hpp"
#include "challenge/references.hpp"
#include "lab/coalescing.hpp"
#include "lab/memory_types.hpp"
#include "lab/min_plus.hpp"
#include "lab/pinned_streams.hpp"
#include "lab/reduction.hpp"
#include "lab/tiled_matmul.hpp"

namespace challenge {
namespace {

using Arrays = std::array<Array, 3>;
constexpr double kFloat = sizeof(float);

std::string by(std::initializer_list<int> sizes) {
  std::string text;
  for (const int size : sizes) text += (text.empty() ? "" : " × ") + std::to_string(size);
  return text;
}

/// Runs `check` for each size until one returns a message.
template <class Size, class Check>
std::string first_failure(std::initializer_list<Size> sizes, Check check) {
  for (const Size& size : sizes)
    if (std::string message = check(size); !message.empty()) return message;
  return "";
}

/// Random inputs and a poisoned output.
std::shared_ptr<Arrays> make_arrays(std::size_t first, std::size_t second, std::size_t output) {
  return std::shared_ptr<Arrays>(
      new Arrays{Array(random_floats(first, 1)), Array(random_floats(second, 2)), Array(output)});
}

// ---- Matrix products: N by rows (lab 02) or by columns (lab 04) ----

std::string verify_product(void* function, bool turned) {
  struct Size {
    int m, k, n;
  };
  // The last sizes have enough tiles for the kernels that large products use on a GPU with 132
  // multiprocessors, and more tiles than multiprocessors.
  return first_failure<Size>(
      {{1, 1, 1},
       {2, 31, 33},
       {33, 127, 31},
       {129, 257, 127},
       {257, 20, 132},
       {127, 64, 1000},
       {1537, 21, 2561},
       {1600, 52, 2564}},
      [&](const Size& s) {
        const auto M = random_floats(std::size_t(s.m) * s.k, 1), N = random_floats(std::size_t(s.k) * s.n, 2);
        const Array d_M(M), d_N(N), d_P(std::size_t(s.m) * s.n);
        call<decltype(tiled_matmul)>(function, d_M.data(), d_N.data(), d_P.data(), s.m, s.k, s.n);
        return first_wrong(d_P.values(), by({s.m, s.k, s.n}), [&](int at) {
          Sum sum;
          const int row = at / s.n, col = at % s.n;
          for (int i = 0; i < s.k; ++i)
            sum.add(double(M[row * s.k + i]) * N[turned ? col * s.k + i : i * s.n + col]);
          return sum;
        });
      });
}

auto measure_product(int n, bool turned) {
  return [=](const Limits& limits, const Peers& peers) {
    const std::size_t size = std::size_t(n) * n;
    const auto arrays = make_arrays(size, size, size);
    const auto& [M, N, P] = *arrays;
    const double fma = double(n) * n * n;
    Measurement measurement{
        .title = std::string(turned ? "corner-turned" : "matrix") + " product, n = " + std::to_string(n),
        .limit = "n³ / FMA rate",
        .limit_ms = fma / limits.fma_per_s * 1e3,
        .call = [=, m = M.data(), n_ = N.data(),
                 p = P.data()](void* function) { call<decltype(tiled_matmul)>(function, m, n_, p, n, n, n); },
        .peer = "cuBLAS SGEMM",
        .call_peer = {},
        .arrays = arrays};
    if (peers.product != nullptr)
      measurement.call_peer = [=, m = M.data(), n_ = N.data(), p = P.data()] {
        call<void(const float*, const float*, float*, int, int, int, bool)>(peers.product, m, n_, p, n, n, n,
                                                                            turned);
      };
    return measurement;
  };
}

// ---- Sum (lab 03) ----

std::string verify_sum(void* function) {
  struct Size {
    int n, offset;  // floats between a multiple of 16 bytes and the first element
  };
  return first_failure<Size>({{1, 0},
                              {2, 1},
                              {3, 3},
                              {31, 0},
                              {33, 2},
                              {127, 1},
                              {129, 3},
                              {257, 0},
                              {1000, 1},
                              {300007, 0},
                              {300007, 3}},
                             [&](const Size& s) {
                               const auto in = random_floats(std::size_t(s.n) + s.offset, 3);
                               const Array d_in(in), d_sum(1);
                               call<decltype(reduce_sum)>(function, d_in.data() + s.offset, d_sum.data(),
                                                          s.n);
                               return first_wrong(d_sum.values(), by({s.n}), [&](int) {
                                 Sum sum;
                                 for (int i = 0; i < s.n; ++i) sum.add(in[s.offset + i]);
                                 return sum;
                               });
                             });
}

Measurement measure_sum(const Limits& limits, const Peers& peers) {
  constexpr int kSize = 1 << 28;
  const auto arrays = make_arrays(kSize, 1, 1);
  const auto& [in, unused, sum] = *arrays;
  Measurement measurement{
      .title = "sum of 2^28 floats",
      .limit = "4 bytes per element / read bandwidth",
      .limit_ms = kFloat * kSize / limits.read_bytes_per_s * 1e3,
      .call = [d_in = in.data(), d_sum = sum.data()](
                  void* function) { call<decltype(reduce_sum)>(function, d_in, d_sum, kSize); },
      .peer = "CUB DeviceReduce",
      .call_peer = {},
      .naive_runs = false,
      .arrays = arrays};
  if (peers.sum != nullptr)
    measurement.call_peer = [peer = peers.sum, d_in = in.data(), d_sum = sum.data()] {
      call<void(const float*, float*, int)>(peer, d_in, d_sum, kSize);
    };
  return measurement;
}

// ---- Transpose and matrix × vector (lab 04) ----

std::string verify_transpose(void* function) {
  struct Size {
    int width, height;
  };
  return first_failure<Size>(
      {{1, 1},
       {2, 31},
       {33, 1},
       {31, 129},
       {127, 257},
       {257, 64},
       {64, 64},
       {65, 72},
       {1000, 57},
       {63, 1000}},
      [&](const Size& s) {
        const auto in = random_floats(std::size_t(s.width) * s.height, 4);
        const Array d_in(in), d_out(in.size());
        call<decltype(transpose)>(function, d_in.data(), d_out.data(), s.width, s.height);
        return first_wrong(d_out.values(), by({s.width, s.height}), [&](int at) {
          Sum sum;  // of one term: exact, but for a tolerance that no other element of `in` meets
          sum.add(in[at % s.height * s.width + at / s.height]);
          return sum;
        });
      });
}

auto measure_transpose(int n) {
  return [=](const Limits& limits, const Peers&) {
    const std::size_t size = std::size_t(n) * n;
    const auto arrays = make_arrays(size, 1, size);
    const auto& [in, unused, out] = *arrays;
    return Measurement{
        .title = "transpose, " + by({n, n}),
        .limit = "8 bytes per element / copy bandwidth",
        .limit_ms = 2 * kFloat * double(size) / limits.copy_bytes_per_s * 1e3,
        .call = [=, d_in = in.data(), d_out = out.data()](
                    void* function) { call<decltype(transpose)>(function, d_in, d_out, n, n); },
        .peer = "copy on the device",
        .call_peer =
            [=, d_in = in.data(), d_out = out.data()] {
              cudaMemcpyAsync(d_out, d_in, size * sizeof(float), cudaMemcpyDeviceToDevice);
            },
        .arrays = arrays};
  };
}

std::string verify_matvec(void* function) {
  struct Size {
    int rows, columns;
  };
  return first_failure<Size>(
      {{1, 1}, {2, 31}, {33, 127}, {31, 129}, {129, 1000}, {17, 4100}, {9, 8195}}, [&](const Size& s) {
        const auto A = random_floats(std::size_t(s.rows) * s.columns, 5), x = random_floats(s.columns, 6);
        const Array d_A(A), d_x(x), d_y(s.rows);
        call<decltype(matvec)>(function, d_A.data(), d_x.data(), d_y.data(), s.rows, s.columns);
        return first_wrong(d_y.values(), by({s.rows, s.columns}), [&](int row) {
          Sum sum;
          for (int i = 0; i < s.columns; ++i) sum.add(double(A[row * s.columns + i]) * x[i]);
          return sum;
        });
      });
}

Measurement measure_matvec(const Limits& limits, const Peers& peers) {
  constexpr int kSize = 16384;
  const auto arrays = make_arrays(std::size_t(kSize) * kSize, kSize, kSize);
  const auto& [A, x, y] = *arrays;
  Measurement measurement{
      .title = "matrix × vector, " + by({kSize, kSize}),
      .limit = "4 bytes per element / read bandwidth",
      .limit_ms = kFloat * kSize * kSize / limits.read_bytes_per_s * 1e3,
      .call = [a = A.data(), x_ = x.data(),
               y_ = y.data()](void* function) { call<decltype(matvec)>(function, a, x_, y_, kSize, kSize); },
      .peer = "cuBLAS SGEMV",
      .call_peer = {},
      .arrays = arrays};
  if (peers.matvec != nullptr)
    measurement.call_peer = [peer = peers.matvec, a = A.data(), x_ = x.data(), y_ = y.data()] {
      call<decltype(matvec)>(peer, a, x_, y_, kSize, kSize);
    };
  return measurement;
}

// ---- Convolution (lab 01) ----

std::string verify_convolution(void* function) {
  struct Size {
    int width, height, radius;
  };
  return first_failure<Size>(
      {{1, 1, 0},
       {2, 31, 1},
       {33, 127, 2},
       {129, 65, 3},
       {257, 129, 4},
       {1000, 33, 4},
       {31, 33, 5},
       {130, 70, 6},
       {127, 40, 7},
       {5, 3, 8},
       {132, 100, 8},
       {1000, 2150, 1}},
      [&](const Size& s) {
        const int window = 2 * s.radius + 1;
        const auto in = random_floats(std::size_t(s.width) * s.height, 7),
                   weights = random_floats(window * window, 8);
        const Array d_in(in), d_out(in.size());
        call<decltype(convolve_tiled)>(function, d_in.data(), weights.data(), d_out.data(), s.width, s.height,
                                       s.radius);
        return first_wrong(
            d_out.values(), by({s.width, s.height}) + ", radius " + std::to_string(s.radius), [&](int at) {
              Sum sum;
              for (int i = 0; i < window * window; ++i) {
                const int y = at / s.width + i / window - s.radius, x = at % s.width + i % window - s.radius;
                if (y >= 0 && y < s.height && x >= 0 && x < s.width)
                  sum.add(double(weights[i]) * in[y * s.width + x]);
              }
              return sum;
            });
      });
}

Measurement measure_convolution(const Limits& limits, const Peers&) {
  constexpr int kSize = 4096, kRadius = 4, kTaps = 81;
  static const auto weights = random_floats(kTaps, 8);
  const double pixels = double(kSize) * kSize;
  const auto arrays = make_arrays(std::size_t(kSize) * kSize, 1, std::size_t(kSize) * kSize);
  const auto& [in, unused, out] = *arrays;
  return {
      .title = "9 × 9 convolution, " + by({kSize, kSize}),
      .limit = "the larger of 81 FMA / FMA rate and 8 bytes / copy bandwidth, per pixel",
      .limit_ms =
          std::max(kTaps * pixels / limits.fma_per_s, 2 * kFloat * pixels / limits.copy_bytes_per_s) * 1e3,
      .call =
          [d_in = in.data(), d_out = out.data()](void* function) {
            call<decltype(convolve_tiled)>(function, d_in, weights.data(), d_out, kSize, kSize, kRadius);
          },
      .peer = "",
      .call_peer = {},
      .arrays = arrays};
}

// ---- Vector addition in segments (lab 05) ----

std::string verify_addition(void* function) {
  struct Size {
    int n, segment, rounds;
  };
  return first_failure<Size>({{1, 1, 1},
                              {2, 1, 3},
                              {31, 64, 1},
                              {129, 16, 2},
                              {1000, 257, 1},
                              {4097, 1024, 3},
                              {300007, 65536, 1},
                              {500001, 131072, 2}},
                             [&](const Size& s) {
                               const auto a = random_floats(s.n, 10), b = random_floats(s.n, 11);
                               const PinnedArray h_a(a), h_b(b), h_c(std::vector<float>(s.n, HUGE_VALF));
                               call<decltype(add_pipelined)>(function, h_a.data(), h_b.data(), h_c.data(),
                                                             s.n, s.segment, s.rounds);
                               return first_wrong(h_c.values(), by({s.n, s.segment, s.rounds}), [&](int at) {
                                 Sum sum;
                                 sum.add(a[at]);
                                 for (int round = 0; round < s.rounds; ++round) sum.add(b[at]);
                                 return sum;
                               });
                             });
}

Measurement measure_addition(const Limits&, const Peers&) {
  constexpr int kSize = 1 << 26, kSegment = 1 << 20;
  const auto arrays = std::shared_ptr<std::array<PinnedArray, 3>>(new std::array<PinnedArray, 3>{
      PinnedArray(random_floats(kSize, 10)), PinnedArray(random_floats(kSize, 11)),
      PinnedArray(std::vector<float>(kSize))});
  const auto& [a, b, c] = *arrays;
  return {.title = "vector addition through streams, 2^26 floats",
          .limit = "the same bytes in both directions at the same time, in large copies",
          .limit_ms = both_directions_ms(2 * std::size_t{kSize}, kSize),
          .call =
              [h_a = a.data(), h_b = b.data(), h_c = c.data()](void* function) {
                call<decltype(add_pipelined)>(function, h_a, h_b, h_c, kSize, kSegment, 1);
              },
          .peer = "",
          .call_peer = {},
          .arrays = arrays};
}

// ---- Min-plus product (lab 06) ----

/// What the programs of lab 06 define in addition to `step`: the same for matrices in device memory.
using StepOnDevice = void(float* d_r, const float* d_d, int n);

std::string verify_min_plus(void* function) {
  return first_failure<int>({1, 2, 8, 31, 33, 127, 129, 257, 260}, [&](int n) {
    auto d = random_floats(std::size_t(n) * n, 9);
    for (std::size_t i = 0; i < d.size(); i += 7) d[i] = HUGE_VALF;
    const Array d_d(d), d_r(d.size());
    call<StepOnDevice>(function, d_r.data(), d_d.data(), n);
    const auto r = d_r.values();
    for (int at = 0; at < n * n; ++at) {
      float least = HUGE_VALF;  // no order of minima changes the result, so that floats must be equal
      for (int k = 0; k < n; ++k) least = std::min(least, d[at / n * n + k] + d[k * n + at % n]);
      if (r[at] != least) return by({n, n}) + ": element " + std::to_string(at) + " is wrong";
    }
    return std::string();
  });
}

auto measure_min_plus(int n) {
  return [=](const Limits& limits, const Peers&) {
    const std::size_t size = std::size_t(n) * n;
    const auto arrays = make_arrays(size, 1, size);
    const auto& [d, unused, r] = *arrays;
    return Measurement{.title = "min-plus product, n = " + std::to_string(n),
                       .limit = "n³ / rate of additions with minima",
                       .limit_ms = double(n) * n * n / limits.add_min_per_s * 1e3,
                       .call = [=, d_d = d.data(), d_r = r.data()](
                                   void* function) { call<StepOnDevice>(function, d_r, d_d, n); },
                       .peer = "",
                       .call_peer = {},
                       .arrays = arrays};
  };
}

}  // namespace

std::vector<Work> all_works() {
  const auto product = [](void* function) { return verify_product(function, false); };
  const auto turned_product = [](void* function) { return verify_product(function, true); };
  return {
      {"01-memory-types", "convolve_tiled", verify_convolution, {measure_convolution}},
      {"02-tiled-matmul",
       "tiled_matmul",
       product,
       {measure_product(4096, false), measure_product(2047, false), measure_product(1000, false)}},
      {"03-reduction-divergence", "reduce_sum", verify_sum, {measure_sum}},
      {"04-coalescing", "transpose", verify_transpose, {measure_transpose(8192), measure_transpose(8191)}},
      {"04-coalescing", "matmul_corner_turning", turned_product, {measure_product(4096, true)}},
      {"04-coalescing", "matvec", verify_matvec, {measure_matvec}},
      {"05-pinned-streams", "add_pipelined", verify_addition, {measure_addition}},
      {"06-min-plus", "step_on_device", verify_min_plus, {measure_min_plus(4096), measure_min_plus(6300)}},
  };
}

}  // namespace challenge
