#include "workloads/reduction/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"

namespace grader::reduction {
namespace {

using harness::Element;
using harness::Job;
using harness::Place;

constexpr std::int64_t kMaxElements = std::int64_t{1} << 22U;  // the bound of a longer sum is too weak
constexpr std::int64_t kMaxElementsOnCuda = std::int64_t{1} << 26U;
constexpr std::size_t kWarpLanes = 32;

std::size_t pieces(std::size_t length, std::size_t piece) { return (length + piece - 1) / piece; }

bool is_count(const std::string& entry) { return entry.find("six") != std::string::npos; }
bool is_per_block(const std::string& entry) { return entry.starts_with("block_sums"); }

const std::vector<float>& values_of(const Job& job) { return job.inputs[0].values; }

// ---- inputs

/// The distributions that exist for integers.
const std::vector<std::string>& integer_distributions() {
  static const std::vector<std::string> names{"integers", "ascending", "descending",
                                              "negative", "equal",     "mixed"};
  return names;
}

/// Values that a wrong comparison takes for 6, in place of some of the others: 6 after a conversion to 8, 16
/// or 24 bits, or in the last three or four bits. -6 and 7 are there anyway.
float widened(float value) {
  if (value == -8) return kSix - 65536;
  if (value == -7) return kSix + 65536;
  if (value == -5) return kSix + 0x1p24F;
  if (value == -4) return kSix + 256;
  if (value == -3) return kSix + 16;
  return value == -2 ? kSix + 8 : value;
}

/// "integers": -6, -1 to 8, and six wider values; "ascending", "descending": these, sorted;
/// "negative": -8 to -1, without a 6; "equal": all values are 6; "mixed": all values except one are 6.
std::vector<float> integer_values(std::size_t count, const std::string& distribution, SplitMix64& random) {
  std::vector<float> values = random_values(count, "integers", random);
  if (distribution != "negative") std::transform(values.begin(), values.end(), values.begin(), widened);
  if (distribution == "ascending") std::sort(values.begin(), values.end());
  if (distribution == "descending") std::sort(values.begin(), values.end(), std::greater<>());
  if (distribution == "negative")
    for (float& value : values) value = value < 0 ? value : -1 - std::fmod(value, 8.0F);
  if (distribution == "equal" || distribution == "mixed") values.assign(count, kSix);
  if (distribution == "mixed") values[random.below(count)] = kSix - 1;
  return values;
}

/// Maps [-1, 0) to the lowest 2^-12 of the negative floats: only a maximum that begins with -FLT_MAX, with
/// -infinity or with an element is right there.
float near_lowest(float value) {
  constexpr double kLeast = std::numeric_limits<float>::lowest();
  return static_cast<float>(kLeast * (1 - std::ldexp(1.0 + static_cast<double>(value), -12)));
}

void add_input(Job& job, const char* name, std::uint32_t n, const Case& one_case, SplitMix64& random) {
  const bool integers = is_count(one_case.entry);
  const auto make = integers ? integer_values : random_values;
  harness::Input input{{name, {n}, make(n, one_case.distribution, random)}};
  if (one_case.entry == "reduce_max" && one_case.distribution == "negative")
    std::transform(input.values.begin(), input.values.end(), input.values.begin(), near_lowest);
  input.element = integers ? Element::i32 : Element::f32;
  job.inputs.push_back(std::move(input));
}

void add_outputs(Job& job, const std::string& entry, std::uint32_t n) {
  const auto groups = static_cast<std::uint32_t>(pieces(n, kWarpLanes));
  const auto blocks = static_cast<std::uint32_t>(pieces(n, kReductionBlock));
  if (entry == "vector_add")
    job.outputs = {{"C", {n}}, {"warps", {2}, Place::host, Element::i32}};
  else if (entry == "six_votes")
    for (const char* name : {"counts", "any", "all"})
      job.outputs.push_back({name, {groups}, Place::device, Element::i32});
  else if (is_count(entry))
    job.outputs.push_back({"count", {1}, Place::device, Element::i32});
  else if (is_per_block(entry))
    job.outputs.push_back({"sums", {blocks}});
  else
    job.outputs.push_back({entry == "reduce_max" ? "max" : "sum", {1}});
}

// ---- expectations

/// The expectation for the output with that index; all tolerances are 0.
Expectation exact(const Job& job, std::size_t output, std::vector<double> values) {
  Expectation expected;
  expected.name = job.outputs[output].name;
  expected.shape = job.outputs[output].shape;
  expected.tolerances.assign(values.size(), 0);
  expected.values = std::move(values);
  return expected;
}

/// The largest power of two that divides x; infinity for 0.
double lowest_bit(float x) {
  if (x == 0) return std::numeric_limits<double>::infinity();
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), 24));
  return std::ldexp(static_cast<double>(digits & -digits), exponent - 24);
}

/// Sums of consecutive pieces of `piece` elements each; the last piece can be shorter.
Expectation sums(const Job& job, std::size_t piece) {
  const std::vector<float>& values = values_of(job);
  Expectation expected = exact(job, 0, std::vector<double>(pieces(values.size(), piece)));
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const std::size_t first = i * piece;
    const BoundedSum sum = bounded_sum(values.data() + first, std::min(piece, values.size() - first));
    expected.values[i] = sum.value;
    expected.tolerances[i] = sum.tolerance;
    expected.magnitudes.push_back(static_cast<float>(sum.magnitude));
  }
  return expected;
}

/// One addition, rounded as in float.
std::vector<Expectation> vector_add(const Job& job) {
  const std::vector<float>&A = job.inputs[0].values, &B = job.inputs[1].values;
  std::vector<double> C(A.size());
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = A[i] + B[i];
  const double warps = static_cast<double>(pieces(A.size(), kVectorAddWarps * kWarpLanes) * kVectorAddWarps);
  const double divergent = A.size() % kWarpLanes == 0 ? 0 : 1;
  return {exact(job, 0, std::move(C)), exact(job, 1, {warps, divergent})};
}

double sixes(const std::vector<float>& values, std::size_t first, std::size_t count) {
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<double>(std::count(from, from + static_cast<std::ptrdiff_t>(count), kSix));
}

std::vector<Expectation> six_votes(const Job& job) {
  const std::vector<float>& values = values_of(job);
  std::vector<double> counts, any, all;
  for (std::size_t first = 0; first < values.size(); first += kWarpLanes) {
    const std::size_t size = std::min(kWarpLanes, values.size() - first);
    counts.push_back(sixes(values, first, size));
    any.push_back(counts.back() > 0 ? 1 : 0);
    all.push_back(counts.back() == static_cast<double>(size) ? 1 : 0);
  }
  return {exact(job, 0, std::move(counts)), exact(job, 1, std::move(any)), exact(job, 2, std::move(all))};
}

// ---- the workload

class Reduction final : public Workload {
 public:
  std::vector<std::string> entries() const override {
    return {"reduce_sum", "reduce_max", "block_sums",       "block_sums_shuffle",
            "vector_add", "six_votes",  "count_six_atomic", "count_six"};
  }
  std::vector<std::string> infinite_distributions(const std::string& entry) const override {
    if (entry == "vector_add") return {"vast"};
    return {};
  }
  std::vector<Parameter> parameters() const override { return {{"n", 1, kMaxElementsOnCuda}}; }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    const bool is_large = one_case.entry == "reduce_max" && one_case.only_on == DeviceKind::cuda;
    const std::int64_t n = one_case.workload.at("n"), most = is_large ? kMaxElementsOnCuda : kMaxElements;
    if (n > most) return fmt::format("n is {} when it should be at most {}", n, most);
    const auto& known = integer_distributions();
    if (is_count(one_case.entry) &&
        std::find(known.begin(), known.end(), one_case.distribution) == known.end())
      return fmt::format("{} does not support the distribution \"{}\" for integers", one_case.entry,
                         one_case.distribution);
    return std::nullopt;
  }

  Job job(const Case& one_case) const override {
    const auto n = static_cast<std::uint32_t>(one_case.workload.at("n"));
    SplitMix64 random(one_case.seed);
    Job job;
    job.entry = one_case.entry;
    const bool has_two = one_case.entry == "vector_add";
    add_input(job, has_two ? "A" : "in", n, one_case, random);
    if (has_two) add_input(job, "B", n, one_case, random);
    add_outputs(job, one_case.entry, n);
    return job;
  }

  std::vector<Expectation> expect(const Job& job) const override {
    const std::vector<float>& values = values_of(job);
    if (job.entry == "vector_add") return vector_add(job);
    if (job.entry == "six_votes") return six_votes(job);
    if (is_count(job.entry)) return {exact(job, 0, {sixes(values, 0, values.size())})};
    if (job.entry == "reduce_max") return {exact(job, 0, {*std::max_element(values.begin(), values.end())})};
    return {sums(job, is_per_block(job.entry) ? kReductionBlock : values.size())};
  }

  std::vector<Hypothesis> hypotheses(const Job& job) const override {
    if (is_per_block(job.entry)) return block_sums_hypotheses(job);
    if (job.entry == "reduce_sum") return sum_hypotheses(job);
    if (job.entry == "reduce_max") return maximum_hypotheses(job);
    if (job.entry == "vector_add") return warps_hypotheses(job);
    if (job.entry == "six_votes" || is_count(job.entry)) return sixes_hypotheses(job);
    return {};
  }

  std::map<std::string, double> quantities(const Job& job) const override {
    const std::size_t n = values_of(job).size();
    return {{"element", static_cast<double>(n)}, {"group", static_cast<double>(pieces(n, kWarpLanes))}};
  }
  /// A group is 32 neighbouring elements, which a warp handles together.
  std::vector<std::string> quantity_names() const override { return {"element", "group"}; }
};

}  // namespace

BoundedSum bounded_sum(const float* values, std::size_t count) {
  BoundedSum sum;
  double quantum = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    sum.value += values[i];
    sum.magnitude += std::abs(values[i]);
    quantum = std::min(quantum, lowest_bit(values[i]));
  }
  const bool never_rounds = sum.magnitude == 0 || sum.magnitude * kUnitRoundoff <= quantum;
  const double relative = static_cast<double>(count - 1) * kUnitRoundoff;
  if (!never_rounds) sum.tolerance = relative / (1 - relative) * sum.magnitude;
  return sum;
}

const Workload& workload() {
  static const Reduction workload;
  return workload;
}

}  // namespace grader::reduction
