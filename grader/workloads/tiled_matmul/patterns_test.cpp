// Tests typical mistakes of a tiled matrix product, which a model of the wrong kernel computes: every mistake
// must be named for every shape, and no mistake may be reported as another.
#include "judge/patterns.hpp"

#include <cmath>
#include <functional>
#include <map>

#include "catch.hpp"
#include "workloads/tiled_matmul/workload.hpp"

namespace {

using grader::Array;
using grader::diagnose_values;
using grader::harness::Job;
using testing::contains;

/// Runs a block's threads one after another between barriers, on float arrays; `T` is the tile width.
struct KernelModel {
  std::size_t T = 16;
  bool floor_tiles = false;      ///< k / T instead of ceil(k / T) phases
  bool reset_each_tile = false;  ///< sum = 0 inside the loop
  bool first_tile_only = false, no_first_tile = false;
  bool keep_old_M = false, keep_old_N = false;  ///< 0 is stored in the first phase only
  bool swap_M_tile = false, swap_N_tile = false;
  bool M_from_ty = false, N_from_tx = false;
  bool M_from_p = false, N_from_p = false;     ///< tile p begins at element p
  bool M_from_0 = false, N_from_0 = false;     ///< tile p begins at element 0
  bool M_row_tx = false, N_column_ty = false;  ///< in the inner loop
  bool both_of_M = false, both_of_N = false;   ///< as above
  std::size_t M_stride = 0, N_stride = 0;      ///< 0: correct

  Array run(const Job& job) const {
    const auto [m, k, n] = grader::tiled_matmul::matmul_size(job);
    Array P{"P", {static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n)}, std::vector<float>(m * n)};
    for (std::size_t by = 0; by * T < m; ++by)
      for (std::size_t bx = 0; bx * T < n; ++bx) run_block(job, by, bx, P);
    return P;
  }

 private:
  void run_block(const Job& job, std::size_t by, std::size_t bx, Array& P) const {
    const auto [m, k, n] = grader::tiled_matmul::matmul_size(job);
    std::vector<float> tile_M(T * T), tile_N(T * T), sums(T * T);
    std::size_t tiles = floor_tiles ? k / T : (k + T - 1) / T;
    if (first_tile_only) tiles = std::min<std::size_t>(tiles, 1);
    for (std::size_t p = no_first_tile ? 1 : 0; p < tiles; ++p) {
      for (std::size_t t = 0; t < T * T; ++t) load(job, by, bx, p, t / T, t % T, tile_M, tile_N);
      if (reset_each_tile) sums.assign(T * T, 0);
      for (std::size_t t = 0; t < T * T; ++t)
        for (std::size_t i = 0; i < T; ++i)
          sums[t] += (both_of_N ? tile_N : tile_M)[(M_row_tx ? t % T : t / T) * T + i] *
                     (both_of_M ? tile_M : tile_N)[i * T + (N_column_ty ? t / T : t % T)];
    }
    for (std::size_t t = 0; t < T * T; ++t) {
      const std::size_t row = by * T + t / T, column = bx * T + t % T;
      if (row < m && column < n) P.values[row * n + column] = sums[t];
    }
  }

  void load(const Job& job, std::size_t by, std::size_t bx, std::size_t p, std::size_t ty, std::size_t tx,
            std::vector<float>& tile_M, std::vector<float>& tile_N) const {
    const auto [m, k, n] = grader::tiled_matmul::matmul_size(job);
    const std::size_t row = by * T + ty, column = bx * T + tx;
    const std::size_t M_column = (M_from_0 ? 0 : M_from_p ? p : p * T) + (M_from_ty ? ty : tx);
    const std::size_t N_row = (N_from_0 ? 0 : N_from_p ? p : p * T) + (N_from_tx ? tx : ty);
    const auto& M = job.inputs[0].values;
    const auto& N = job.inputs[1].values;
    float& M_slot = tile_M[swap_M_tile ? tx * T + ty : ty * T + tx];
    float& N_slot = tile_N[swap_N_tile ? tx * T + ty : ty * T + tx];
    if (row < m && M_column < k)
      M_slot = M.at(row * (M_stride != 0 ? M_stride : k) + M_column);
    else if (!keep_old_M)
      M_slot = 0;
    if (N_row < k && column < n)
      N_slot = N.at(N_row * (N_stride != 0 ? N_stride : n) + column);
    else if (!keep_old_N)
      N_slot = 0;
  }
};

Job job_of(std::int64_t m, std::int64_t k, std::int64_t n, const char* distribution) {
  grader::Case one;
  one.name = "case";
  one.entry = "tiled_matmul";
  one.workload = {{"m", m}, {"k", k}, {"n", n}};
  one.distribution = distribution;
  one.seed = 99;
  return grader::tiled_matmul::workload().job(one);
}

struct Diagnosis {
  std::string code, what, likely_cause;
};

Diagnosis diagnose(const Job& job, const Array& P) {
  const auto& workload = grader::tiled_matmul::workload();
  const auto expected = workload.expect(job);
  const auto found = diagnose_values({P, expected[0], std::nullopt}, workload.hypotheses(job));
  return found ? Diagnosis{found->code, found->what, found->likely_cause} : Diagnosis{"none", "", ""};
}

Diagnosis diagnose(const KernelModel& kernel, std::int64_t m, std::int64_t k, std::int64_t n,
                   const char* distribution = "uniform") {
  const Job job = job_of(m, k, n, distribution);
  return diagnose(job, kernel.run(job));
}

KernelModel model(std::size_t T) {
  KernelModel kernel;
  kernel.T = T;
  return kernel;
}

TEST_CASE("the correct kernel passes with every tile width and distribution") {
  for (const std::size_t T : {8, 16, 32})
    for (const char* distribution : {"uniform", "integers", "mixed"})
      CHECK(diagnose(model(T), 50, 70, 41, distribution).code == "none");
}

TEST_CASE("a number of tiles that is rounded down gives sums without their last terms") {
  for (const std::size_t T : {8, 16, 32}) {
    KernelModel kernel = model(T);
    kernel.floor_tiles = true;
    for (const char* distribution : {"uniform", "integers", "mixed"}) {
      const Diagnosis found = diagnose(kernel, 50, 71, 41, distribution);
      CHECK(found.code == "WG-V08");
      CHECK_THAT(found.what, contains("first " + std::to_string(71 / T * T) + " of 71 terms"));
    }
    CHECK(diagnose(kernel, 50, 64, 41).code == "none");
    CHECK(diagnose(kernel, 20, 5, 20).code == "WG-V07");
  }
}

TEST_CASE("loads that are clamped to the last element add the last term again") {
  for (const std::size_t T : {8, 16, 32}) {
    const Job job = job_of(20, 35, 30, "uniform");
    Array P = model(T).run(job);
    const std::size_t repeats = (35 / T + 1) * T - 35;
    for (std::size_t i = 0; i < P.values.size(); ++i)
      P.values[i] += static_cast<float>(repeats) * job.inputs[0].values[i / 30 * 35 + 34] *
                     job.inputs[1].values[34 * 30 + i % 30];
    CHECK_THAT(diagnose(job, P).what, contains("is added " + std::to_string(repeats) + " times more"));
  }
}

TEST_CASE("a sum that is kept for a block's second tile of P is recognised") {
  for (const std::size_t T : {8, 16, 32}) {
    const Job job = job_of(40, 24, 96, "uniform");
    Array P = model(T).run(job);
    for (std::size_t i = P.values.size(); i-- > 0;)
      if (i % 96 / T % 2 == 1) P.values[i] += P.values[i - T];
    CHECK_THAT(diagnose(job, P).what, contains("every second tile of " + std::to_string(T) + " columns"));
  }
}

TEST_CASE("a tile that is not cleared adds terms of the previous tile again") {
  for (const std::size_t T : {8, 16, 32}) {
    KernelModel kernel = model(T);
    kernel.keep_old_M = kernel.keep_old_N = true;
    const Diagnosis found = diagnose(kernel, 50, 71, 41);
    CHECK(found.code == "WG-V09");
    CHECK_THAT(found.what, contains("are added a second time"));
    CHECK(diagnose(kernel, 64, 64, 64).code == "none");
  }
}

TEST_CASE("NaN is right where 0 meets infinity, and terms that are left out there are named") {
  const Job job = job_of(19, 37, 21, "infinite");
  const std::vector<float>&M = job.inputs[0].values, &N = job.inputs[1].values;
  const auto product = [&](auto is_added) {
    Array P{"P", {19, 21}, std::vector<float>(std::size_t{19} * 21)};
    for (std::size_t i = 0; i < P.values.size(); ++i)
      for (std::size_t t = 0; t < 37; ++t) {
        const float of_M = M[i / 21 * 37 + t], of_N = N[t * 21 + i % 21];
        if (is_added(of_M, of_N)) P.values[i] += of_M * of_N;
      }
    return P;
  };
  CHECK(diagnose(job, product([](float, float) { return true; })).code == "none");
  CHECK_THAT(diagnose(job, product([](float of_M, float) { return of_M != 0; })).what,
             contains("a factor of M that is 0"));
  CHECK_THAT(diagnose(job, product([](float, float of_N) { return of_N != 0; })).what,
             contains("a factor of N that is 0"));
  CHECK_THAT(diagnose(job, product([](float of_M, float of_N) { return of_M * of_N > 0; })).what,
             contains("a factor of M or N that is 0"));
}

TEST_CASE("rows of threadIdx.x and columns of threadIdx.y are named") {
  const Job job = job_of(64, 48, 32, "uniform");
  const std::vector<float>&M = job.inputs[0].values, &N = job.inputs[1].values;
  Array P{"P", {64, 32}, std::vector<float>(std::size_t{64} * 32)};
  for (std::size_t i = 0; i < P.values.size(); ++i)
    for (std::size_t t = 0; t < 48; ++t)
      P.values[i] += M[(i / 32 / 16 * 16 + t % 16) * 48 + t] * N[t * 32 + i % 32 / 16 * 16 + t % 16];
  CHECK_THAT(diagnose(job, P).what, contains("all elements of a 16 × 16 block of P have one value"));
}

TEST_CASE("tiles that are left out because they contain only zeros are named") {
  const Job job = job_of(131, 133, 130, "infinite");
  const std::vector<float>&M = job.inputs[0].values, &N = job.inputs[1].values;
  const auto without = [&](auto is_left_out) {
    Array P{"P", {131, 130}, std::vector<float>(std::size_t{131} * 130)};
    for (std::size_t i = 0; i < P.values.size(); ++i)
      for (std::size_t t = 0; t < 133; ++t)
        if (!is_left_out(i / 130, t, i % 130)) P.values[i] += M[i / 130 * 133 + t] * N[t * 130 + i % 130];
    return P;
  };
  const auto of_M = [](std::size_t r, std::size_t t, std::size_t /*c*/) { return r < 32 && t / 32 == 3; };
  const auto of_N = [](std::size_t /*r*/, std::size_t t, std::size_t c) { return t / 32 == 3 && c < 32; };
  CHECK_THAT(diagnose(job, without(of_M)).what, contains("tiles of M that contain only zeros"));
  CHECK_THAT(diagnose(job, without(of_N)).what, contains("tiles of N that contain only zeros"));
}

TEST_CASE("a tile that keeps elements of the phase before multiplies infinity by 0") {
  for (const std::size_t T : {8, 16, 32}) {
    KernelModel old_M = model(T), old_N = model(T);
    old_M.keep_old_M = old_N.keep_old_N = true;
    CHECK(diagnose(old_M, 19, 37, 21, "infinite").code == "WG-V03");
    CHECK(diagnose(old_N, 19, 37, 21, "infinite").code == "WG-V03");
  }
}

TEST_CASE("a sum of only the first or the last tile is named") {
  KernelModel first = model(16);
  first.first_tile_only = true;
  CHECK_THAT(diagnose(first, 40, 50, 40).what, contains("first 16 of 50 terms"));
  KernelModel last = model(16);
  last.reset_each_tile = true;
  CHECK_THAT(diagnose(last, 40, 50, 40).what, contains("last 2 of 50 terms"));
  CHECK_THAT(diagnose(last, 64, 64, 64).what, contains("last 16 of 64 terms"));
  KernelModel late = model(16);
  late.no_first_tile = true;
  CHECK_THAT(diagnose(late, 64, 64, 64).likely_cause, contains("the first tile along k is not added"));
  CHECK_THAT(diagnose(late, 32, 32, 32).likely_cause,
             contains("or the loop over tiles begins with the second"));
}

TEST_CASE("tiles with rows and columns swapped are named by matrix") {
  for (const std::size_t T : {8, 16, 32}) {
    KernelModel of_M = model(T), of_N = model(T), of_both = model(T);
    of_M.swap_M_tile = of_both.swap_M_tile = true;
    of_N.swap_N_tile = of_both.swap_N_tile = true;
    for (const auto& [m, k, n] : {std::array{64, 64, 64}, {50, 71, 41}}) {
      CHECK_THAT(diagnose(of_M, m, k, n).what, contains("M's tiles are read with rows and columns swapped"));
      CHECK_THAT(diagnose(of_N, m, k, n).what, contains("N's tiles are read with rows and columns swapped"));
      CHECK_THAT(diagnose(of_both, m, k, n).what, contains("both matrices' tiles"));
      CHECK(diagnose(of_M, m, k, n).code == "WG-V04");
    }
  }
}

TEST_CASE("an index with ty instead of tx is named") {
  KernelModel of_M = model(16), of_N = model(16);
  of_M.M_from_ty = true;
  of_N.N_from_tx = true;
  CHECK_THAT(diagnose(of_M, 64, 64, 64).what, contains("M's tiles are loaded from column p*T + ty"));
  CHECK_THAT(diagnose(of_N, 50, 71, 41).what, contains("N's tiles are loaded from row p*T + tx"));
  KernelModel row_of_M = model(16), column_of_N = model(16);
  row_of_M.M_row_tx = column_of_N.N_column_ty = true;
  CHECK_THAT(diagnose(row_of_M, 64, 64, 64).what, contains("reads row tx of M's tile"));
  CHECK_THAT(diagnose(column_of_N, 50, 71, 41).what, contains("reads column ty of N's tile"));
}

TEST_CASE("tiles that begin one element apart are named") {
  KernelModel of_M = model(16), of_N = model(16), both = model(16);
  of_M.M_from_p = of_N.N_from_p = both.M_from_p = both.N_from_p = true;
  CHECK_THAT(diagnose(of_M, 64, 64, 64).what, contains("tile p of M begins at column p"));
  CHECK_THAT(diagnose(of_N, 50, 71, 41).what, contains("tile p of N begins at row p"));
  CHECK_THAT(diagnose(both, 64, 64, 64).what, contains("tile p of M begins at column p, that of N at row p"));
}

TEST_CASE("the same tile in each phase is named") {
  KernelModel of_M = model(16), of_N = model(16), both = model(16);
  of_M.M_from_0 = of_N.N_from_0 = both.M_from_0 = both.N_from_0 = true;
  CHECK_THAT(diagnose(of_M, 64, 64, 64).what, contains("every tile of M is the first one"));
  CHECK_THAT(diagnose(of_N, 48, 64, 32).what, contains("every tile of N is the first one"));
  CHECK_THAT(diagnose(both, 64, 64, 64).what, contains("every tile of M and of N is the first one"));
}

TEST_CASE("two tiles in one place of shared memory are named") {
  KernelModel of_M = model(16), of_N = model(32);
  of_M.both_of_M = of_N.both_of_N = true;
  CHECK_THAT(diagnose(of_M, 50, 71, 41).what, contains("come from M's tile (tiles of 16)"));
  CHECK_THAT(diagnose(of_N, 64, 64, 64).what, contains("come from N's tile (tiles of 32)"));
}

TEST_CASE("a matrix that is read with a wrong number of columns is named") {
  KernelModel of_M = model(16), of_N = model(16);
  of_M.M_stride = 64;  // n
  CHECK_THAT(diagnose(of_M, 32, 96, 64).what, contains("M is read with n columns instead of k"));
  of_N.N_stride = 48;  // k
  CHECK_THAT(diagnose(of_N, 32, 48, 64).what, contains("N is read with k columns instead of n"));
}

Array product(const Job& job, const std::function<double(std::size_t, std::size_t)>& element);

TEST_CASE("n in place of k, as in a program for square matrices, is named") {
  const Job job = job_of(32, 96, 64, "uniform");
  const auto &M = job.inputs[0].values, &N = job.inputs[1].values;
  const Array P = product(job, [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i)
      sum += static_cast<double>(M[row * 64 + i]) * static_cast<double>(N[i * 64 + column]);
    return sum;
  });
  const auto found = diagnose_values({P, grader::tiled_matmul::workload().expect(job).front()},
                                     grader::tiled_matmul::workload().hypotheses(job));
  REQUIRE(found);
  CHECK_THAT(found->likely_cause, contains("n is used where k is needed"));
}

/// Returns P with P[row][column] = element(row, column).
Array product(const Job& job, const std::function<double(std::size_t, std::size_t)>& element) {
  const auto [m, k, n] = grader::tiled_matmul::matmul_size(job);
  Array P{"P", job.outputs[0].shape, {}};
  for (std::size_t i = 0; i < m * n; ++i) P.values.push_back(static_cast<float>(element(i / n, i % n)));
  return P;
}

TEST_CASE("matrices read column by column, operands swapped and results stored transposed are named") {
  const Job job = job_of(48, 48, 48, "uniform");
  const auto& M = job.inputs[0].values;
  const auto& N = job.inputs[1].values;
  const auto sum = [](auto term) {
    double total = 0;
    for (std::size_t i = 0; i < 48; ++i) total += term(i);
    return total;
  };
  const auto what = [&](const auto& element) { return diagnose(job, product(job, element)).what; };
  CHECK_THAT(what([&](auto r, auto c) { return sum([&](auto i) { return M[i * 48 + r] * N[i * 48 + c]; }); }),
             contains("M is read column by column"));
  CHECK_THAT(what([&](auto r, auto c) { return sum([&](auto i) { return M[r * 48 + i] * N[c * 48 + i]; }); }),
             contains("N is read column by column"));
  CHECK_THAT(what([&](auto r, auto c) { return sum([&](auto i) { return N[r * 48 + i] * M[i * 48 + c]; }); }),
             contains("the result is N × M"));
  CHECK_THAT(what([&](auto r, auto c) { return sum([&](auto i) { return M[c * 48 + i] * N[i * 48 + r]; }); }),
             contains("is transposed"));
}

TEST_CASE("no mistake is reported for values that no model computes") {
  const Job job = job_of(50, 71, 41, "uniform");
  Array P = model(16).run(job);
  for (std::size_t i = 0; i < P.values.size(); ++i) P.values[i] += 3 + std::cos(static_cast<float>(i * i));
  CHECK(diagnose(job, P).code == "WG-V01");
  // Two combined mistakes: neither alone explains the result.
  KernelModel both = model(16);
  both.floor_tiles = both.swap_M_tile = true;
  CHECK(diagnose(both, 50, 71, 41).code == "WG-V01");
}

TEST_CASE("a product of one element is sufficient evidence") {
  KernelModel kernel = model(16);
  kernel.first_tile_only = true;
  CHECK(diagnose(kernel, 1, 40, 1).code == "WG-V08");
}

}  // namespace
