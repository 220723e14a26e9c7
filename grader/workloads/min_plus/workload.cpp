#include "workloads/min_plus/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lab/distribution.hpp"

namespace grader::min_plus {
namespace {

/// The virtual GPU needs one to two seconds for n³ sums with n = 512.
constexpr std::int64_t kMaxExtent = 5120;
constexpr std::int64_t kMaxExtentOfVersion1 = 1024;
constexpr std::int64_t kMaxExtentOnVirtual = 512;
constexpr std::int64_t kMaxPaddedExtentOnVirtual = 2048;  // n² elements

bool is_padding(const harness::Job& job) { return job.entry == "pad_transpose"; }

/// Values of the distribution. A random `percent` of them become infinity: edges that do not exist.
std::vector<float> distances(std::size_t n, const Case& one_case) {
  SplitMix64 random(one_case.seed);
  std::vector<float> d = random_values(n * n, one_case.distribution, random);
  const auto percent = static_cast<std::uint64_t>(one_case.workload.at("infinite_percent"));
  for (float& value : d)
    if (random.below(100) < percent) value = kInfinity;
  return d;
}

Expectation exactly(const harness::OutputSpec& output, const std::vector<float>& values) {
  Expectation expectation;
  expectation.name = output.name;
  expectation.shape = output.shape;
  expectation.values.assign(values.begin(), values.end());
  expectation.tolerances.assign(values.size(), 0);
  return expectation;
}

/// The input in the upper left corner of an nn × nn matrix, infinity elsewhere.
std::vector<float> padded(const harness::Job& job, bool transposed) {
  const std::size_t n = extent(job), nn = job.outputs[0].shape[0];
  std::vector<float> values(nn * nn, kInfinity);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      values[transposed ? j * nn + i : i * nn + j] = job.inputs[0].values[i * n + j];
  return values;
}

class MinPlus final : public Workload {
 public:
  std::vector<std::string> entries() const override { return {"step", "step_v1", "pad_transpose"}; }
  std::vector<Parameter> parameters() const override {
    return {{"n", 1, kMaxExtent}, {"infinite_percent", 0, 100}};
  }

  std::vector<std::string> infinite_distributions(const std::string& /*entry*/) const override {
    return {"huge"};
  }
  std::optional<std::string> further_problem(const Case& one_case) const override {
    const std::int64_t n = one_case.workload.at("n");
    if (one_case.entry == "step_v1" && n > kMaxExtentOfVersion1)
      return fmt::format("n is {} when it should be at most {} for step_v1", n, kMaxExtentOfVersion1);
    const std::int64_t most =
        one_case.entry == "pad_transpose" ? kMaxPaddedExtentOnVirtual : kMaxExtentOnVirtual;
    if (one_case.only_on == DeviceKind::cuda || n <= most) return std::nullopt;
    return fmt::format("n is {} when it should be at most {} on the virtual GPU", n, most);
  }

  harness::Job job(const Case& one_case) const override {
    const auto n = static_cast<std::uint32_t>(one_case.workload.at("n"));
    harness::Job job;
    job.entry = one_case.entry;
    job.inputs.push_back({{"d", {n, n}, distances(n, one_case)}});
    if (is_padding(job)) {
      const auto nn = static_cast<std::uint32_t>(rounded_up(n));
      job.outputs = {{"padded", {nn, nn}}, {"transposed", {nn, nn}}};
    } else {
      job.inputs[0].place = harness::Place::host;
      job.outputs.push_back({"r", {n, n}, harness::Place::host});
    }
    return job;
  }

  std::vector<Expectation> expect(const harness::Job& job) const override {
    const std::size_t n = extent(job);
    if (!is_padding(job)) return {exactly(job.outputs[0], min_plus(job.inputs[0].values, n))};
    return {exactly(job.outputs[0], padded(job, false)), exactly(job.outputs[1], padded(job, true))};
  }

  std::vector<Hypothesis> hypotheses(const harness::Job& job) const override {
    if (is_padding(job)) return padding_hypotheses(job);
    return step_hypotheses(job);
  }

  std::map<std::string, double> quantities(const harness::Job& job) const override {
    const auto n = static_cast<double>(extent(job));
    // As in the source: the addition and the minimum of a candidate count as two useful operations.
    return {{"min_plus", n * n * n}, {"useful_operation", 2 * n * n * n}};
  }
  std::vector<std::string> quantity_names() const override { return {"min_plus", "useful_operation"}; }
  double operations(const harness::Job& job) const override { return quantities(job).at("useful_operation"); }

  TimeMeasure time_measure() const override { return TimeMeasure::call; }
};

constexpr std::size_t kTileRows = 4, kTileColumns = 8;

/// least[i][j] = min over k of rows[i][k] + strip[k][j]. The minima stay in vector registers: with -O2, the
/// inner loop becomes vector instructions if the loop around it is unrolled.
[[gnu::always_inline]] inline void lower_tile(const float* const (&rows)[kTileRows], const float* strip,
                                              std::size_t n, float (&least)[kTileRows][kTileColumns]) {
  float minima[kTileRows][kTileColumns];
  for (auto& row : minima) std::fill_n(row, kTileColumns, kInfinity);
  for (std::size_t k = 0; k < n; ++k)
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kTileRows; ++i)
      for (std::size_t j = 0; j < kTileColumns; ++j)
        minima[i][j] = std::min(minima[i][j], rows[i][k] + strip[k * kTileColumns + j]);
  std::memcpy(least, minima, sizeof minima);
}

// The same operations for two instruction sets: the oracle of the largest case does 10^11 of them.
using LowerTile = void(const float* const (&)[kTileRows], const float*, std::size_t,
                       float (&)[kTileRows][kTileColumns]);
void lower_tile_anywhere(const float* const (&rows)[kTileRows], const float* strip, std::size_t n,
                         float (&least)[kTileRows][kTileColumns]) {
  lower_tile(rows, strip, n, least);
}
[[gnu::target("avx2")]] void lower_tile_with_avx2(const float* const (&rows)[kTileRows], const float* strip,
                                                  std::size_t n, float (&least)[kTileRows][kTileColumns]) {
  lower_tile(rows, strip, n, least);
}

/// Columns of d from `first` on, at most kTileColumns, next to each other in memory for all k.
void load_strip(const std::vector<float>& d, std::size_t n, std::size_t first, std::vector<float>& strip) {
  const std::size_t columns = std::min(kTileColumns, n - first);
  for (std::size_t k = 0; k < n; ++k) std::copy_n(&d[k * n + first], columns, &strip[k * kTileColumns]);
}

}  // namespace

std::vector<float> min_plus(const std::vector<float>& d, std::size_t n) {
  LowerTile* const lower = __builtin_cpu_supports("avx2") ? lower_tile_with_avx2 : lower_tile_anywhere;
  std::vector<float> r(n * n);
  const auto compute_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<float> strip(n * kTileColumns, kInfinity);
    for (std::size_t j = 0; j < n; j += kTileColumns) {
      load_strip(d, n, j, strip);
      for (std::size_t i = begin; i < end; i += kTileRows) {
        const float* rows[kTileRows];
        for (std::size_t row = 0; row < kTileRows; ++row) rows[row] = &d[std::min(i + row, end - 1) * n];
        float least[kTileRows][kTileColumns];
        lower(rows, strip.data(), n, least);
        for (std::size_t row = 0; row < std::min(kTileRows, end - i); ++row)
          std::copy_n(least[row], std::min(kTileColumns, n - j), &r[(i + row) * n + j]);
      }
    }
  };
  constexpr std::size_t kMinRowsPerThread = 256;
  in_parallel(n, kMinRowsPerThread, compute_rows);
  return r;
}

const Workload& workload() {
  static const MinPlus workload;
  return workload;
}

}  // namespace grader::min_plus
