#include "workloads/tiled_matmul/workload.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"

namespace grader::tiled_matmul {
namespace {

constexpr std::int64_t kMaxExtent = 100'000;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 24U;  ///< of one matrix: an index fits an int
/// Maximum products in one case: 512³ for the virtual GPU, 2048³ for cases only for a real GPU.
constexpr std::int64_t kMaxProducts = std::int64_t{1} << 27U;
constexpr std::int64_t kMaxProductsOnCuda = std::int64_t{1} << 33U;

/// Size of the block of P that is computed together. Each row of N is fetched once for all rows of the block,
/// and the sums stay in the first-level cache: 4 × 256 × (8 + 4) bytes = 12 KiB.
constexpr std::size_t kRowBlock = 4;
constexpr std::size_t kColumnBlock = 256;

/// Sums of one block of P: the products in double, their absolute values in float, where accuracy is not
/// needed.
struct BlockSums {
  /// Only these are set to 0: a matrix with one column uses only a small part of a block.
  BlockSums(std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::fill_n(values[r], columns, 0.0);
      std::fill_n(magnitudes[r], columns, 0.0F);
    }
  }

  double values[kRowBlock][kColumnBlock];
  float magnitudes[kRowBlock][kColumnBlock];
};

void add_products(BlockSums& sums, std::size_t row, float factor, const float* factors, std::size_t columns) {
  double* values = sums.values[row];
  float* magnitudes = sums.magnitudes[row];
  const double wide = factor;
  for (std::size_t j = 0; j < columns; ++j) {
    values[j] += wide * factors[j];
    magnitudes[j] += std::abs(factor * factors[j]);
  }
}

/// The columns of M, and rows of N, in which 0 meets infinity: enough elements of P to recognise a mistake.
constexpr std::size_t kFirstZero = 1, kEndOfZeros = 7;
/// Tiles of up to this width have only zeros: in M the first ones of these columns, in N those of these rows.
constexpr std::size_t kZeroTile = 32, kFirstOfZeroTiles = 96;
/// Next to such a tile of M, the rows of N that the last warp of a block loads have only zeros in these
/// columns.
constexpr std::size_t kZeroRows = 2, kFirstOfZeroRows = 64;

/// All other values are positive, because infinity - infinity is NaN. Puts infinity
/// - at the start of every second row of M, at the end of every second of its other rows, and at the end of
///   every third column of N: where a thread reads past a row, or an edge element again, and multiplies by 0;
/// - at the start of both matrices, whose first element can stand in for those outside;
/// - into every column of M and every row of N, because elements of any full tile can still be in the last,
///   partial one, and are then multiplied by 0;
/// - opposite some elements that are 0, and of large matrices opposite whole tiles of zeros: such a term is
///   NaN, and must not be left out.
void add_infinities(harness::Job& job, std::size_t m, std::size_t k, std::size_t n) {
  std::vector<float>&M = job.inputs[0].values, &N = job.inputs[1].values;
  const std::size_t odd_rows = m / 2, third_columns = (n + 1) / 3;  // 1, 3, 5, … and 1, 4, 7, …
  for (std::size_t row = 1; row < m; row += 2) M[row * k] = HUGE_VALF;
  for (std::size_t row = 2; row < m; row += 4) M[row * k + k - 1] = HUGE_VALF;
  for (std::size_t column = 1; column < n; column += 3) N[(k - 1) * n + column] = HUGE_VALF;
  for (std::size_t i = 0; i < k; ++i) {
    if (odd_rows > 0) M[(1 + 2 * (i % odd_rows)) * k + i] = HUGE_VALF;
    if (third_columns > 0) N[i * n + 1 + 3 * (i % third_columns)] = HUGE_VALF;
  }
  M[0] = N[0] = HUGE_VALF;
  for (std::size_t i = kFirstZero; i < std::min(k, kEndOfZeros); ++i) M[i] = N[i * n] = 0;
  constexpr std::size_t kEnd = kFirstOfZeroTiles + kZeroTile;
  if (m < kZeroTile || k < kEnd || n < kFirstOfZeroRows + kZeroTile) return;
  for (std::size_t i = 0; i < kZeroTile; ++i) {
    std::fill_n(&M[i * k + kFirstOfZeroTiles], kZeroTile, 0.0F);
    std::fill_n(&N[(kFirstOfZeroTiles + i) * n], kZeroTile, 0.0F);
  }
  for (std::size_t i = kEnd - kZeroRows; i < kEnd; ++i)
    std::fill_n(&N[i * n + kFirstOfZeroRows], kZeroTile, 0.0F);
}

/// `integers`: all elements of M and N are integers.
void compute_block(const harness::Job& job, bool integers, std::size_t first_row, std::size_t first_column,
                   Expectation& product) {
  const auto [m, k, n] = matmul_size(job);
  const float* M = job.inputs[0].values.data();
  const float* N = job.inputs[1].values.data();
  const std::size_t rows = std::min(kRowBlock, m - first_row);
  const std::size_t columns = std::min(kColumnBlock, n - first_column);
  BlockSums sums(rows, columns);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t r = 0; r < rows; ++r)
      add_products(sums, r, M[(first_row + r) * k + i], N + i * n + first_column, columns);
  const double relative = sum_error_factor(static_cast<double>(k)) * kUnitRoundoff;
  const double of_underflow = static_cast<double>(k) * kLeastFloat;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t at = (first_row + r) * n + first_column;
    std::copy_n(sums.values[r], columns, product.values.begin() + static_cast<std::ptrdiff_t>(at));
    std::copy_n(sums.magnitudes[r], columns, product.magnitudes.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t j = 0; j < columns; ++j) {
      const auto magnitude = static_cast<double>(sums.magnitudes[r][j]);
      const bool is_exact = (integers && magnitude < kExactInFloat) || !std::isfinite(sums.values[r][j]);
      product.tolerances[at + j] = is_exact ? 0 : relative * magnitude + of_underflow;
    }
  }
}

class TiledMatmul final : public Workload {
 public:
  std::vector<std::string> entries() const override { return {"tiled_matmul", "tiled_matmul_dynamic"}; }
  std::vector<Parameter> parameters() const override {
    return {{"m", 1, kMaxExtent}, {"k", 1, kMaxExtent}, {"n", 1, kMaxExtent}};
  }

  std::vector<std::string> infinite_distributions(const std::string& /*entry*/) const override {
    return {"infinite"};
  }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    const auto& of = one_case.workload;
    const std::int64_t products = of.at("m") * of.at("k") * of.at("n");
    // Each of the three matrices lacks one extent: m · k · n / k is the size of P.
    for (const char* name : {"m", "k", "n"})
      if (products / of.at(name) > kMaxElements)
        return fmt::format("the matrix without {} has {} elements when it should have at most {}", name,
                           products / of.at(name), kMaxElements);
    const std::int64_t most = one_case.only_on == DeviceKind::cuda ? kMaxProductsOnCuda : kMaxProducts;
    if (products > most) return fmt::format("m * k * n is {} when it should be at most {}", products, most);
    return std::nullopt;
  }

  harness::Job job(const Case& one_case) const override {
    const auto extent = [&](const char* name) {
      return static_cast<std::uint32_t>(one_case.workload.at(name));
    };
    const std::uint32_t m = extent("m"), k = extent("k"), n = extent("n");
    SplitMix64 random(one_case.seed);
    harness::Job job;
    job.inputs.push_back({{"M", {m, k}, random_values(std::size_t{m} * k, one_case.distribution, random)}});
    job.inputs.push_back({{"N", {k, n}, random_values(std::size_t{k} * n, one_case.distribution, random)}});
    if (one_case.distribution == "infinite") add_infinities(job, m, k, n);
    job.outputs.push_back({"P", {m, n}});
    return job;
  }

  std::vector<Expectation> expect(const harness::Job& job) const override {
    const auto [m, k, n] = matmul_size(job);
    Expectation product;
    product.name = job.outputs[0].name;
    product.shape = job.outputs[0].shape;
    product.values.resize(m * n);
    product.tolerances.resize(m * n);
    product.magnitudes.resize(m * n);
    const bool integers = all_integers(job.inputs[0].values) && all_integers(job.inputs[1].values);
    constexpr std::size_t kMinRowBlocksPerThread = 64;
    in_parallel(
        (m + kRowBlock - 1) / kRowBlock, kMinRowBlocksPerThread, [&](std::size_t begin, std::size_t end) {
          for (std::size_t row = begin * kRowBlock; row < std::min(end * kRowBlock, m); row += kRowBlock)
            for (std::size_t column = 0; column < n; column += kColumnBlock)
              compute_block(job, integers, row, column, product);
        });
    return {product};
  }

  std::vector<Hypothesis> hypotheses(const harness::Job& job) const override {
    return tiled_matmul_hypotheses(job);
  }

  std::map<std::string, double> quantities(const harness::Job& job) const override {
    const auto [m, k, n] = matmul_size(job);
    const double outputs = static_cast<double>(m) * static_cast<double>(n);
    return {{"flop", 2 * outputs * static_cast<double>(k)}, {"output", outputs}};
  }
  std::vector<std::string> quantity_names() const override { return {"flop", "output"}; }
  double operations(const harness::Job& job) const override { return quantities(job).at("flop"); }
};

}  // namespace

MatmulSize matmul_size(const harness::Job& job) {
  const Shape& M = job.inputs[0].shape;
  const Shape& N = job.inputs[1].shape;
  return {M[0], M[1], N[1]};
}

const Workload& workload() {
  static const TiledMatmul workload;
  return workload;
}

}  // namespace grader::tiled_matmul
