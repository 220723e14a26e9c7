#include "workloads/coalescing/workload.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace grader::coalescing {
namespace {

constexpr std::int64_t kMaxExtent = 8192;
constexpr std::int64_t kMaxLength = std::int64_t{1} << 18U;  // more than 16 bits
constexpr std::int64_t kMaxPoints = std::int64_t{1} << 22U;
/// Maximum elements of a matrix in cases for the virtual GPU, and in cases only for a real GPU.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 20U;
constexpr std::int64_t kMaxElementsOnCuda = std::int64_t{1} << 26U;
/// Maximum products in one matrix product: 256³.
constexpr std::int64_t kMaxProducts = std::int64_t{1} << 24U;
constexpr std::int64_t kMaxBlock = std::int64_t{kMaxBlockSize};

/// Requires: `entry` is an entry of the workload.
const CoalescingProblem& problem_of(const std::string& entry) {
  const auto& all = coalescing_problems();
  return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.entry == entry; });
}

std::optional<std::string> unfit_extent(const Case& one_case) {
  const std::int64_t block_size = one_case.workload.at("block_size");
  for (const char* extent : {"width", "height"}) {
    const std::int64_t value = one_case.workload.at(extent);
    if (value > kMaxExtent)
      return fmt::format("{} is {} when it should be at most {}", extent, value, kMaxExtent);
    if (value % block_size != 0)
      return fmt::format("{} is {} when it should be a multiple of block_size, {}", extent, value,
                         block_size);
  }
  return std::nullopt;
}

std::optional<std::string> too_large(const Case& one_case, const char* rows, const char* columns) {
  const std::int64_t elements = one_case.workload.at(rows) * one_case.workload.at(columns);
  const std::int64_t most = one_case.only_on == DeviceKind::cuda ? kMaxElementsOnCuda : kMaxElements;
  if (elements <= most) return std::nullopt;
  return fmt::format("{} * {} is {} when it should be at most {}", rows, columns, elements, most);
}

std::optional<std::string> too_many_products(const Case& one_case) {
  std::int64_t products = 1;
  for (const auto& [name, extent] : one_case.workload) products *= extent;
  if (products <= kMaxProducts) return std::nullopt;
  return fmt::format("m * k * n is {} when it should be at most {}", products, kMaxProducts);
}

class Coalescing final : public Workload {
 public:
  std::vector<std::string> entries() const override {
    std::vector<std::string> names;
    for (const CoalescingProblem& problem : coalescing_problems()) names.push_back(problem.entry);
    return names;
  }

  std::vector<std::string> infinite_distributions(const std::string& entry) const override {
    if (entry != "matvec" && entry != "matmul_corner_turning") return {"vast"};
    return {};
  }
  std::vector<Parameter> parameters() const override {
    return {{"width", 1, kMaxLength, {"transpose", "block_transpose"}},
            {"height", 1, kMaxLength, {"transpose", "block_transpose"}},
            {"block_size", 1, kMaxBlock, {"block_transpose"}},
            {"threads_in_step", 1, 64, {"block_transpose_is_safe"}},
            {"m", 1, kMaxExtent, {"matmul_corner_turning"}},
            {"k", 1, kMaxExtent, {"matmul_corner_turning"}},
            {"n", 1, kMaxExtent, {"matmul_corner_turning"}},
            {"rows", 1, kMaxLength, {"matvec"}},
            {"columns", 1, kMaxLength, {"matvec"}},
            {"points", 1, kMaxPoints, {"aos_to_soa"}}};
  }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    if (one_case.entry == "transpose") return too_large(one_case, "height", "width");
    if (one_case.entry == "matvec") return too_large(one_case, "rows", "columns");
    if (one_case.entry == "matmul_corner_turning") return too_many_products(one_case);
    if (one_case.entry != "block_transpose") return std::nullopt;
    const auto problem = unfit_extent(one_case);
    return problem ? problem : too_large(one_case, "height", "width");
  }

  harness::Job job(const Case& one_case) const override {
    harness::Job job = problem_of(one_case.entry).job(one_case);
    job.entry = one_case.entry;
    job.scalars = one_case.workload;
    job.needs_launch = !job.inputs.empty();  // block_transpose_is_safe takes no arrays
    return job;
  }

  std::vector<Expectation> expect(const harness::Job& job) const override {
    return problem_of(job.entry).expect(job);
  }
  std::vector<Hypothesis> hypotheses(const harness::Job& job) const override {
    return problem_of(job.entry).hypotheses(job);
  }

  /// Useful bytes: the bytes of all inputs and outputs, each element once.
  std::map<std::string, double> quantities(const harness::Job& job) const override {
    std::size_t elements = 0;
    for (const harness::Input& input : job.inputs) elements += element_count(input.shape);
    for (const harness::OutputSpec& output : job.outputs) elements += element_count(output.shape);
    return {{"operation", problem_of(job.entry).operations(job)},
            {"useful_byte", static_cast<double>(elements * sizeof(float))}};
  }
  std::vector<std::string> quantity_names() const override { return {"operation", "useful_byte"}; }
};

}  // namespace

bool is_safe_without_barrier(std::size_t block_size, std::size_t threads_in_step) {
  for (std::size_t y = 0; y < block_size; ++y)
    for (std::size_t x = 0; x < block_size; ++x) {
      const std::size_t reader = y * block_size + x, writer = x * block_size + y;
      if (reader / threads_in_step != writer / threads_in_step) return false;
    }
  return true;
}

const Workload& workload() {
  static const Coalescing workload;
  return workload;
}

}  // namespace grader::coalescing
