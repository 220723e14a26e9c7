#include "workloads/saxpy/workload.hpp"

#include <cmath>
#include <utility>

#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"

namespace grader::saxpy {
namespace {

using harness::Job;
using harness::Place;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 26U;
constexpr const char* kSaxpy = "saxpy";
constexpr const char* kInBlocks = "saxpy_in_blocks";
constexpr const char* kFromHost = "saxpy_from_host";
constexpr const char* kBlockThreads = "block_threads";
constexpr const char* kMaxBlockThreads = "max_block_threads";  // limit of the device
constexpr const char* kReturnedError = "returned_error";       // the function's result, an output
constexpr std::int64_t kMaxAskedThreads = 4096;
// The factor is a / a_divisor, or a random number between 0.01 and 1 with either sign if a is 0. No case has
// the factor 0, with which a kernel that does nothing is right.
constexpr const char* kFactor = "a";
constexpr const char* kFactorDivisor = "a_divisor";
constexpr std::int64_t kMaxFactor = 1'000'000'000;

/// Whether the launch is possible, so that y changes.
bool can_launch(const Job& job) {
  const auto threads = job.scalars.find(kBlockThreads);
  return threads == job.scalars.end() ||
         (threads->second >= 1 && threads->second <= job.scalars.at(kMaxBlockThreads));
}

bool is_from_host(const Job& job) { return job.outputs[0].place == Place::host; }

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

/// The arrays of a job, in double precision. Refers to the job, which must outlive it.
struct Operands {
  explicit Operands(const Job& job) : a(job.inputs[2].values.front()), job_(&job) {}
  double x(std::size_t i) const { return static_cast<double>(job_->inputs[0].values[i]); }
  double y(std::size_t i) const { return static_cast<double>(job_->inputs[1].values[i]); }
  /// a p + q, as it is rounded by one instruction: the tolerance is that of a x + y, which can be smaller.
  double fused(double p, double q) const {
    return static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(p), static_cast<float>(q)));
  }

  double a;

 private:
  const Job* job_;
};

std::vector<Hypothesis> refusal_hypotheses(const Job& job) {
  // Nothing may change, so the tolerance is 0.
  const auto result = [of = Operands(job)](std::size_t i) { return of.fused(of.x(i), of.y(i)); };
  return {{"WG-V01", "y is changed, although the device cannot launch this number of threads per block",
           "the launch uses a number other than its parameter block_threads",
           "launch with block_threads threads per block, and return the launch's error", "y", result},
          {"WG-V01", "an impossible launch is reported as a success",
           "the returned error is not that of a launch with block_threads threads per block",
           "launch with block_threads threads per block, and return cudaGetLastError()", kReturnedError,
           [](std::size_t) { return 0.0; }},
          {"WG-V01", "the returned error is not the launch's",
           "one fixed error is returned for every failure, so that the caller does not learn the reason",
           "return what cudaGetLastError() returns after the launch, here cudaErrorInvalidConfiguration",
           kReturnedError, [](std::size_t) { return 2.0; }}};
}

/// Copies that are missing, or that use a wrong array.
std::vector<Hypothesis> transfer_hypotheses(const Job& job) {
  const Operands of(job);
  return {
      {"WG-V01", "it still has the values from before the call",
       "the result is not copied from d_y to h_y, or is copied before the kernel is launched, or no thread "
       "stores it",
       "after the launch, copy y back: cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost)", "y",
       [of](std::size_t i) { return of.y(i); }},
      {"WG-V01", "it has the values of x", "the copy back reads d_x, not d_y",
       "copy back the array that the kernel stores to: cudaMemcpy(h_y, d_y, bytes, "
       "cudaMemcpyDeviceToHost)",
       "y", [of](std::size_t i) { return of.x(i); }},
      {"WG-V01", "each element is a * x[i] + x[i]", "the array for y on the device got a copy of h_x",
       "copy h_y to d_y: cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice)", "y",
       [of](std::size_t i) { return of.fused(of.x(i), of.x(i)); }},
      {"WG-V01", "each element is a * y[i] + x[i]", "x and y are swapped in the copies or in the call",
       "copy h_x to d_x and h_y to d_y, and pass d_x before d_y", "y",
       [of](std::size_t i) { return of.fused(of.y(i), of.x(i)); }}};
}

std::vector<Hypothesis> formula_hypotheses(const Job& job) {
  const Operands of(job);
  return {
      {"WG-V08", "each element lacks the old y[i]",
       "y is overwritten with a * x[i], or the caller's y was not copied to the device, and what is there is "
       "0",
       "store a * x[i] + y[i], and copy y to the device before the launch", "y",
       [of](std::size_t i) { return of.a * of.x(i); }},
      {"WG-V01", "each element is a * y[i] + x[i]",
       "x and y are swapped: in the formula, or in the arguments of the launch",
       "store a * x[i] + y[i], and pass d_x before d_y", "y",
       [of](std::size_t i) { return of.fused(of.y(i), of.x(i)); }},
      {"WG-V08", "each element lacks the factor a", "x[i] is added without the factor", "multiply x[i] by a",
       "y", [of](std::size_t i) { return of.x(i) + of.y(i); }},
      {"WG-V02", "each element is a * x[0] + y[i]", "the index of x is the same in all threads",
       "read x[i], with the index of the element that the thread stores", "y",
       [of](std::size_t i) { return of.fused(of.x(0), of.y(i)); }},
      {"WG-V01", "it still has the values from before the call",
       "no thread stores, or the threads store to other elements, or a * x[i] is 0 in the kernel, for "
       "instance because `a` is a parameter of type int",
       "let each thread store a * x[i] + y[i] to the element with index blockIdx.x * blockDim.x + "
       "threadIdx.x, with `a` in float",
       "y", [of](std::size_t i) { return of.y(i); }},
      {"WG-V09", "the old y[i] is added twice", "`+=` adds to the old y[i], and the formula adds it again",
       "store a * x[i] + y[i] with `=`, or add a * x[i] with `+=`", "y",
       [of](std::size_t i) { return of.a * of.x(i) + 2 * of.y(i); }},
      {"WG-V01", "each element is a * (x[i] + y[i])", "brackets around the sum multiply y[i], too",
       "store a * x[i] + y[i]", "y", [of](std::size_t i) { return of.a * (of.x(i) + of.y(i)); }},
      {"WG-V01", "each element is a + x[i] + y[i]", "a is added to x[i], not multiplied by it",
       "multiply x[i] by a", "y", [of](std::size_t i) { return of.a + of.x(i) + of.y(i); }},
      {"WG-V09", "a * x[i] is added twice", "two threads, or two launches, handle each element",
       "let exactly one thread handle each element", "y",
       [of](std::size_t i) { return 2 * of.a * of.x(i) + of.y(i); }}};
}

std::vector<float> factor(const Case& one_case, SplitMix64& random) {
  const auto whole = one_case.workload.at(kFactor), divisor = one_case.workload.at(kFactorDivisor);
  if (whole == 0) return random_values(1, "uniform", random);
  return {static_cast<float>(static_cast<double>(whole) / static_cast<double>(divisor))};
}

class Saxpy final : public Workload {
 public:
  std::vector<std::string> entries() const override { return {kSaxpy, kInBlocks, kFromHost}; }
  std::vector<std::string> infinite_distributions(const std::string& /*entry*/) const override {
    return {"vast"};
  }
  std::vector<Parameter> parameters() const override {
    return {{"n", 1, kMaxElements},
            {kBlockThreads, -1, kMaxAskedThreads, {kSaxpy, kInBlocks}},
            {kFactor, -kMaxFactor, kMaxFactor, {}, 0},
            {kFactorDivisor, 1, kMaxFactor, {}, 1}};
  }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    if (one_case.entry == kSaxpy && one_case.workload.at(kBlockThreads) != 256)
      return "block_threads is not 256, which saxpy always uses";
    return std::nullopt;
  }

  Job job(const Case& one_case) const override {
    const auto n = static_cast<std::uint32_t>(one_case.workload.at("n"));
    const Place place = one_case.entry == kFromHost ? Place::host : Place::device;
    SplitMix64 random(one_case.seed);
    Job job;
    job.scalars = one_case.workload;
    job.scalars[kMaxBlockThreads] = profile_for(one_case, vgpu::lecture_profile()).max_threads_per_block;
    job.needs_launch = can_launch(job);  // a function can also refuse by comparing with the device's limit
    for (const char* name : {"x", "y"})
      job.inputs.push_back({{name, {n}, random_values(n, one_case.distribution, random)}, place});
    job.inputs.push_back({{"a", {}, factor(one_case, random)}});
    job.inputs[1].place = job.inputs[2].place = Place::host;
    job.outputs.push_back({"y", {n}, place});
    job.outputs.front().starts_as = 1;
    if (one_case.entry == kInBlocks)
      job.outputs.push_back({kReturnedError, {1}, Place::host, harness::Element::i32});
    return job;
  }

  std::vector<Expectation> expect(const Job& job) const override {
    std::vector<Expectation> all{expected_y(job)};
    if (job.outputs.size() > 1) all.push_back(expected_refusal(job));
    return all;
  }

  std::vector<Hypothesis> hypotheses(const Job& job) const override {
    if (!can_launch(job)) return refusal_hypotheses(job);
    std::vector<Hypothesis> all;
    if (is_from_host(job)) all = transfer_hypotheses(job);
    for (Hypothesis& one : formula_hypotheses(job)) all.push_back(std::move(one));
    return all;
  }

  std::map<std::string, double> quantities(const Job& job) const override {
    return {{"element", static_cast<double>(job.inputs[0].values.size())}};
  }
  std::vector<std::string> quantity_names() const override { return {"element"}; }
};

}  // namespace

const Workload& workload() {
  static const Saxpy workload;
  return workload;
}

}  // namespace grader::saxpy
