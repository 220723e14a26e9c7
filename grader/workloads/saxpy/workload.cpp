#include "workloads/saxpy/workload.hpp"

#include <cmath>

#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"

namespace grader {
namespace {

using harness::Job;
using harness::Place;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 26U;
constexpr const char* kMaxBlockThreads = "max_block_threads";  // limit of the device
constexpr std::int64_t kMaxAskedThreads = 4096;
constexpr double kLeastFloat = 0x1.0p-149;  ///< larger than the error of a product that underflows

/// Whether the launch is possible, so that y changes.
bool can_launch(const Job& job) {
  const std::int64_t threads = job.scalars.at("block_threads");
  return threads >= 1 && threads <= job.scalars.at(kMaxBlockThreads);
}

Expectation expected_y(const Job& job) {
  const std::vector<float>&x = job.inputs[0].values, &y = job.inputs[1].values;
  const double a = can_launch(job) ? job.inputs[2].values.front() : 0;
  Expectation expected;
  expected.name = job.outputs[0].name;
  expected.shape = job.outputs[0].shape;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double product = a * x[i], magnitude = 2 * std::abs(product) + std::abs(y[i]);
    expected.values.push_back(product + y[i]);
    expected.tolerances.push_back(a == 0 ? 0 : kUnitRoundoff * (1 + kUnitRoundoff) * magnitude + kLeastFloat);
    expected.magnitudes.push_back(static_cast<float>(magnitude));
  }
  return expected;
}

Expectation expected_refusal(const Job& job) {
  Expectation expected;
  expected.name = job.outputs[1].name;
  expected.shape = job.outputs[1].shape;
  expected.values = {can_launch(job) ? 0.0 : 1.0};
  expected.tolerances = {0};
  return expected;
}

class Saxpy final : public Workload {
 public:
  std::vector<std::string> entries() const override { return {"saxpy", "saxpy_in_blocks"}; }
  std::vector<Parameter> parameters() const override {
    return {{"n", 1, kMaxElements}, {"block_threads", 0, kMaxAskedThreads}};
  }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    if (one_case.entry == "saxpy" && one_case.workload.at("block_threads") != 256)
      return "block_threads is not 256, which saxpy always uses";
    return std::nullopt;
  }

  Job job(const Case& one_case) const override {
    const auto n = static_cast<std::uint32_t>(one_case.workload.at("n"));
    SplitMix64 random(one_case.seed);
    Job job;
    job.scalars = one_case.workload;
    job.scalars[kMaxBlockThreads] = profile_for(one_case, vgpu::lecture_profile()).max_threads_per_block;
    job.needs_launch = can_launch(job);  // a function can also refuse by comparing with the device's limit
    for (const char* name : {"x", "y"})
      job.inputs.push_back({{name, {n}, random_values(n, one_case.distribution, random)}});
    job.inputs.push_back({{"a", {1}, random_values(1, "uniform", random)}});
    job.inputs[1].place = job.inputs[2].place = Place::host;
    job.outputs.push_back({"y", {n}});
    job.outputs.front().starts_as = 1;
    if (one_case.entry == "saxpy_in_blocks")
      job.outputs.push_back({"refused", {1}, Place::host, harness::Element::i32});
    return job;
  }

  std::vector<Expectation> expect(const Job& job) const override {
    std::vector<Expectation> all{expected_y(job)};
    if (job.outputs.size() > 1) all.push_back(expected_refusal(job));
    return all;
  }

  std::vector<Hypothesis> hypotheses(const Job& job) const override {
    const std::vector<float>*x = &job.inputs[0].values, *y = &job.inputs[1].values;
    const double a = job.inputs[2].values.front();
    const auto times_a = [x, a](std::size_t i) { return a * static_cast<double>((*x)[i]); };
    // Nothing may change, so the tolerance is 0, and the result is compared as it is rounded by one
    // instruction.
    const auto result = [x, y, a](std::size_t i) {
      return static_cast<double>(std::fma(static_cast<float>(a), (*x)[i], (*y)[i]));
    };
    if (!can_launch(job))
      return {{"WG-V01", "y is changed, although the device cannot launch this number of threads per block",
               "the launch uses a number other than its parameter block_threads",
               "launch with block_threads threads per block, and return the launch's error", "y", result},
              {"WG-V01", "an impossible launch is reported as a success",
               "the returned error is not that of a launch with block_threads threads per block",
               "launch with block_threads threads per block, and return cudaGetLastError()", "refused",
               [](std::size_t) { return 0.0; }},
              {"WG-V01", "the returned error is not the launch's",
               "one fixed error is returned for every failure, so that the caller does not learn the reason",
               "return what cudaGetLastError() returns after the launch, here cudaErrorInvalidConfiguration",
               "refused", [](std::size_t) { return 2.0; }}};
    return {{"WG-V08", "each element lacks the old y[i]", "y is overwritten with a * x[i]",
             "store a * x[i] + y[i]", "y", times_a},
            {"WG-V08", "each element lacks the factor a", "x[i] is added without the factor",
             "multiply x[i] by a", "y",
             [x, y](std::size_t i) { return static_cast<double>((*x)[i]) + static_cast<double>((*y)[i]); }},
            {"WG-V01", "it still has the values from before the call",
             "no thread stores, or the threads store to other elements",
             "let each thread store the element with index blockIdx.x * blockDim.x + threadIdx.x", "y",
             [y](std::size_t i) { return static_cast<double>((*y)[i]); }},
            {"WG-V09", "a * x[i] is added twice", "two threads, or two launches, handle each element",
             "let exactly one thread handle each element", "y",
             [y, times_a](std::size_t i) { return 2 * times_a(i) + static_cast<double>((*y)[i]); }}};
  }

  std::map<std::string, double> quantities(const Job& job) const override {
    return {{"element", static_cast<double>(job.inputs[0].values.size())}};
  }
  std::vector<std::string> quantity_names() const override { return {"element"}; }
};

}  // namespace

const Workload& saxpy_workload() {
  static const Saxpy workload;
  return workload;
}

}  // namespace grader
