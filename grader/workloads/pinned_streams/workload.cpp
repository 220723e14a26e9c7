#include "workloads/pinned_streams/workload.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"

namespace grader::pinned_streams {
namespace {

constexpr const char* kFacts = "device_facts";
constexpr const char* kPipelined = "add_pipelined";

/// Maximum additions in one case for the virtual GPU.
constexpr std::int64_t kMaxAdditions = std::int64_t{1} << 29U;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 26U;  // maximum size of an array
constexpr std::int64_t kVectors = 3;                           // a, b, c
constexpr std::int64_t kBufferSets = 3;                        // the memory must suffice for this many sets
constexpr double kToleranceFloor = 0x1.0p-80;

std::int64_t vector_bytes(std::int64_t elements) {
  return kVectors * elements * static_cast<std::int64_t>(sizeof(float));
}

harness::Job facts_job(const Case& one_case) {
  const vgpu::Profile device = profile_for(one_case, vgpu::lecture_profile());
  harness::Job job;
  job.scalars = {{"n", one_case.workload.at("n")},
                 {"copy_engines", device.async_engine_count},
                 {"device_bytes", static_cast<std::int64_t>(device.global_bytes)}};
  // So that the device has less free memory than memory. The function does not get it.
  job.inputs.push_back({{"held", {1}, {0}}, harness::Place::device});
  job.outputs.push_back({"facts", {4}, harness::Place::host, harness::Element::i32});
  job.needs_launch = false;
  return job;
}

harness::Job addition_job(const Case& one_case) {
  const auto place = one_case.entry == kPipelined ? harness::Place::pinned : harness::Place::host;
  const auto n = static_cast<std::uint32_t>(one_case.workload.at("n"));
  SplitMix64 random(one_case.seed);
  harness::Job job;
  job.scalars = one_case.workload;
  job.piece = {"segment", static_cast<std::uint64_t>(one_case.workload.at("segment"))};
  for (const char* name : {"a", "b"})
    job.inputs.push_back({{name, {n}, random_values(n, one_case.distribution, random)}, place});
  job.outputs.push_back({"c", {n}, place});
  return job;
}

std::vector<double> values_of(const DeviceFacts& facts) {
  return {static_cast<double>(facts.copy_engines), static_cast<double>(facts.overlaps_kernels),
          static_cast<double>(facts.copies_both_ways), static_cast<double>(facts.fits_vectors)};
}

Expectation expected_facts(const harness::Job& job) {
  const DeviceFacts facts = device_facts_of(job);
  Expectation expected;
  expected.name = job.outputs[0].name;
  expected.shape = job.outputs[0].shape;
  expected.values = values_of(facts);
  expected.tolerances.assign(expected.values.size(), 0);
  return expected;
}

/// Whether the grader adds as the given kernel does, so that results must be equal. A closed form, such as a
/// + rounds * b, is a kernel without the work that copies should overlap; only its rounding differs. Too many
/// additions, possible on a real GPU, are compared with a tolerance.
bool is_exact(const harness::Job& job) {
  return job.scalars.at("n") * job.scalars.at("rounds") <= kMaxAdditions;
}

/// The result of the given kernel: b is added to a one round after the other, with the rounding of each
/// addition.
std::vector<float> summed(const std::vector<float>& a, const std::vector<float>& b, std::int64_t rounds) {
  // Elements next to each other, so that the compiler adds them in vectors: there are up to kMaxAdditions.
  constexpr std::size_t kTogether = 64;
  std::vector<float> sums = a;
  for (std::size_t first = 0; first < sums.size(); first += kTogether) {
    std::array<float, kTogether> sum{}, term{};
    const std::size_t count = std::min(kTogether, sums.size() - first);
    std::copy_n(&a[first], count, sum.begin());
    std::copy_n(&b[first], count, term.begin());
    for (std::int64_t round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < kTogether; ++i) sum[i] += term[i];
    std::copy_n(sum.begin(), count, &sums[first]);
  }
  return sums;
}

double multiplied(float a, float b, std::int64_t rounds) {
  return static_cast<double>(a) + static_cast<double>(rounds) * static_cast<double>(b);
}

Expectation expected_sums(const harness::Job& job) {
  const std::vector<float>& a = job.inputs[0].values;
  const std::vector<float>& b = job.inputs[1].values;
  const std::int64_t rounds = job.scalars.at("rounds");
  Expectation sums;
  sums.name = job.outputs[0].name;
  sums.shape = job.outputs[0].shape;
  sums.values.reserve(a.size());
  sums.tolerances.reserve(a.size());
  sums.magnitudes.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double magnitude =
        std::abs(a[i]) + static_cast<double>(rounds) * std::abs(static_cast<double>(b[i]));
    sums.values.push_back(multiplied(a[i], b[i], rounds));
    // The sum of n + 1 numbers in any order has an error of at most n · u · Σ|x| to first order (Higham,
    // "Accuracy and Stability of Numerical Algorithms", section 4.2); here n is `rounds`.
    sums.tolerances.push_back(static_cast<double>(rounds) * kUnitRoundoff * magnitude + kToleranceFloor);
    sums.magnitudes.push_back(static_cast<float>(magnitude));
  }
  if (!is_exact(job)) return sums;
  const std::vector<float> exact = summed(a, b, rounds);
  sums.values.assign(exact.begin(), exact.end());
  sums.roundings = std::move(sums.tolerances);
  sums.tolerances.assign(exact.size(), 0);
  return sums;
}

bool is_about_facts(const harness::Job& job) { return job.outputs[0].name == "facts"; }

std::vector<Hypothesis> facts_hypotheses(const harness::Job& job) {
  const DeviceFacts right = device_facts_of(job);
  const std::int64_t n = job.scalars.at("n"), room = job.scalars.at("device_bytes");
  std::vector<Hypothesis> all;
  const auto add = [&](const char* pattern, const char* cause, const char* next, DeviceFacts facts) {
    const auto values = values_of(facts);
    const auto same = std::find_if(all.begin(), all.end(), [&](const Hypothesis& one) {
      for (std::size_t i = 0; i < values.size(); ++i)
        if (one.values(i) != values[i]) return false;
      return true;
    });
    if (same != all.end() && same->next_step == next) {  // the case does not distinguish the two
      same->pattern += std::string("; or ") + pattern;
      same->likely_cause += std::string("; or ") + cause;
      return;
    }
    all.push_back({"WG-V01", pattern, cause, next, job.outputs[0].name,
                   [values](std::size_t i) { return values.at(i); }, 1});
  };
  const auto with = [&](auto change) {
    DeviceFacts facts = right;
    change(facts);
    return facts;
  };
  const char* bytes = "compare 3 * size_t(n) * sizeof(float) <= totalGlobalMem, in size_t";
  add("the program reports that three vectors that fill the memory exactly do not fit",
      "the comparison is <, or it uses the free memory (cudaMemGetInfo) in place of the memory of the device",
      bytes, with([&](auto& facts) { facts.fits_vectors = vector_bytes(n) < room; }));
  // If 3 n, 4 n or 12 n wraps around to a size that fits, so does 12 n as an int.
  add("the size of three vectors overflows an int", "3 * n * sizeof(float) is computed in 32 bits", bytes,
      with([&](auto& facts) { facts.fits_vectors = static_cast<std::int32_t>(vector_bytes(n)) <= room; }));
  add("the size of three vectors is rounded, or that of two vectors is compared",
      "the sizes are compared as floats, which have 24 bits, or the factor is 2 instead of 3", bytes,
      with([&](auto& facts) {
        facts.fits_vectors = static_cast<float>(vector_bytes(n)) <= static_cast<float>(room);
      }));
  add("three vectors are counted in elements, not in bytes", "the factor sizeof(float) is missing", bytes,
      with([&](auto& facts) { facts.fits_vectors = kVectors * n <= room; }));
  add("one vector is compared with the memory, not three", "the factor 3 is missing", bytes,
      with([&](auto& facts) { facts.fits_vectors = vector_bytes(n) / kVectors <= room; }));
  constexpr std::int64_t k32Bits = 0xFFFFFFFF;
  if (room > k32Bits)
    add("the program knows only the lowest 32 bits of the size of the memory",
        "totalGlobalMem is kept in an int or an unsigned, which holds less than 4 GiB", bytes,
        with([&](auto& facts) { facts.fits_vectors = vector_bytes(n) <= (room & k32Bits); }));
  for (const harness::EarlierCall& call : job.earlier) {
    const std::int64_t other_n = call.scalars.at("n");
    if (other_n == n) continue;
    add("the program reports whether the vectors of an earlier call fit",
        "facts[3] is kept from the first call",
        "keep what does not depend on n, and compare the sizes in every call",
        with([&](auto& facts) { facts.fits_vectors = vector_bytes(other_n) <= room; }));
    break;
  }
  const char* engines =
      "use asyncEngineCount: a device with one copy engine copies in one direction at a time";
  add("the program reports that one copy engine copies in both directions",
      "facts[2] requires only one engine", engines,
      with([&](auto& facts) { facts.copies_both_ways = facts.copy_engines >= 1; }));
  add("the program reports that a device with more than two copy engines does not copy in both directions",
      "facts[2] requires exactly two engines", "compare with >=: two engines are enough, more do no harm",
      with([&](auto& facts) { facts.copies_both_ways = facts.copy_engines == 2; }));
  for (const std::size_t yes_or_no : {1U, 2U}) {
    auto values = values_of(right);
    values.at(yes_or_no) = right.copy_engines;
    all.push_back(
        {"WG-V01", fmt::format("facts[{}] is the number of copy engines when it should be 1 or 0", yes_or_no),
         "asyncEngineCount is stored there as it is", "store 1 if the answer is yes, and 0 if it is no",
         job.outputs[0].name, [values](std::size_t i) { return values.at(i); }, 1});
  }
  for (const std::size_t yes_or_no : {1U, 2U}) {
    auto values = values_of(right);
    const double answer = 1 - values.at(yes_or_no);
    values.at(yes_or_no) = answer;
    all.push_back(
        {"WG-V01", fmt::format("facts[{}] is {} when it should be {}", yes_or_no, answer, 1 - answer),
         "the answer comes from another property, such as concurrentKernels or integrated, which says "
         "nothing about copy engines, or asyncEngineCount is compared with another number",
         fmt::format("compute it from asyncEngineCount: at least {}", yes_or_no), job.outputs[0].name,
         [values](std::size_t i) { return values.at(i); }, 1});
  }
  for (const int answer : {1, 2, 32})
    add("a property other than asyncEngineCount is stored",
        "facts[0] is a constant, or comes from another property: concurrentKernels shows whether kernels can "
        "overlap; it does not count copy engines",
        engines, with([&](auto& facts) { facts.copy_engines = answer; }));
  return all;
}

/// A result with other operands than a[i] and b[i], or another number of rounds. `operands(i)`: the start of
/// the sum and the number that is added to it.
template <class Operands>
Hypothesis other_sums(const harness::Job& job, std::string code, std::string pattern, const char* cause,
                      const char* next, std::int64_t rounds, Operands operands) {
  return {std::move(code),
          std::move(pattern),
          cause,
          next,
          job.outputs[0].name,
          [=, exact = is_exact(job)](std::size_t i) {
            auto [sum, term] = operands(i);
            if (!exact) return multiplied(sum, term, rounds);
            for (std::int64_t round = 0; round < rounds; ++round) sum += term;
            return static_cast<double>(sum);
          }};
}

using Operands = std::pair<float, float>;

/// c if each element has b this many times.
Hypothesis other_rounds(const harness::Job& job, std::int64_t rounds, std::string pattern,
                        const char* cause) {
  const std::vector<float>*a = &job.inputs[0].values, *b = &job.inputs[1].values;
  return other_sums(job, "WG-V08", std::move(pattern), cause,
                    "pass `rounds` to the kernel, and add b[i] to the sum that often, starting with a[i]",
                    rounds, [=](std::size_t i) { return Operands((*a)[i], (*b)[i]); });
}

/// Copies to the device of another segment than that of the result, and arrays in another order.
std::vector<Hypothesis> wrong_operands(const harness::Job& job) {
  const std::vector<float>*a = &job.inputs[0].values, *b = &job.inputs[1].values;
  const std::int64_t rounds = job.scalars.at("rounds");
  std::vector<Hypothesis> all;
  all.push_back(other_sums(job, "WG-V04", "each element is b[i], to which a[i] is added",
                           "a and b are swapped: in the copies to the device, or in the launch's arguments",
                           "copy h_a to d_a and h_b to d_b, and pass d_a before d_b", rounds,
                           [=](std::size_t i) { return Operands((*b)[i], (*a)[i]); }));
  const auto add_both = [&](const char* pattern, const char* cause, const std::vector<float>* of) {
    all.push_back(other_sums(job, "WG-V04", pattern, cause, "copy h_a to d_a and h_b to d_b, and pass both",
                             rounds, [=](std::size_t i) { return Operands((*of)[i], (*of)[i]); }));
  };
  add_both("both operands are a", "the array for b gets a copy of h_a, or the launch passes d_a twice", a);
  add_both("both operands are b", "the array for a gets a copy of h_b, or the launch passes d_b twice", b);
  const auto add = [&](const char* pattern, const char* cause, auto index) {
    for (const bool is_a : {true, false})
      all.push_back(other_sums(
          job, "WG-V04", fmt::format(fmt::runtime(pattern), is_a ? 'a' : 'b'), cause,
          "let each copy of a segment begin at the segment's own first element", rounds,
          [=](std::size_t i) { return Operands((*a)[is_a ? index(i) : i], (*b)[is_a ? i : index(i)]); }));
  };
  const auto segment = static_cast<std::size_t>(job.scalars.at("segment"));
  add("every segment uses the first segment of {}",
      "the source of a copy to the device lacks the segment's offset",
      [segment](std::size_t i) { return i % segment; });
  const auto next_to_each_other = [segment](std::size_t i) { return i / segment + i % segment; };
  // The segments at the end are not overwritten.
  const std::size_t count = a->size();
  for (const std::size_t later : {1U, 2U, 3U, 4U}) {
    const std::size_t distance = later * segment;
    if (distance >= count) break;
    const auto of_later = [=](std::size_t i) { return i + distance < count ? i + distance : i; };
    all.push_back(other_sums(
        job, "WG-V09",
        later == 1 ? "each segment of `c` is that of the next segment"
                   : fmt::format("each segment of `c` is that of the segment {} after it", later),
        "the buffers for a segment are filled again before its result has been copied back",
        "copy the result of a segment back before the next copies and kernel use its buffers: in the same "
        "stream, or after an event",
        rounds, [=](std::size_t i) { return Operands((*a)[of_later(i)], (*b)[of_later(i)]); }));
  }
  add("segment s of {} begins at element s",
      "the source of a copy to the device is offset by the number of the segment", next_to_each_other);
  all.push_back(other_sums(job, "WG-V04", "segment s of a, and that of b, begins at element s",
                           "the sources of the copies to the device are offset by the number of the segment",
                           "multiply the number of the segment by `segment`", rounds, [=](std::size_t i) {
                             return Operands((*a)[next_to_each_other(i)], (*b)[next_to_each_other(i)]);
                           }));
  // What a segment's slot holds beyond its first quarter: the segment two before it, or nothing.
  const std::size_t n = a->size();
  for (const bool is_a : {true, false})
    if (n >= sizeof(float))
      all.push_back(other_sums(
          job, "WG-V04",
          fmt::format("only the first quarter of each segment of {} is copied", is_a ? 'a' : 'b'),
          "memcpy and cudaMemcpyAsync count bytes, and a float has 4: the factor sizeof(float) is missing",
          "copy length * sizeof(float) bytes", rounds, [=](std::size_t i) {
            const std::vector<float>& of = is_a ? *a : *b;
            const std::size_t first = i / segment * segment, quarter = std::min(segment, n - first) / 4;
            const bool is_earlier = i - first < segment / 4 && first >= 2 * segment;
            const float copied = i - first < quarter ? of[i] : is_earlier ? of[i - 2 * segment] : 0;
            return is_a ? Operands(copied, (*b)[i]) : Operands((*a)[i], copied);
          }));
  add("every second segment uses the segment of {} before its own",
      "a copy of the second stream, or of the second slot, has the offset of the first one",
      [segment](std::size_t i) { return i / segment % 2 == 1 ? i - segment : i; });
  return all;
}

std::vector<Hypothesis> sums_hypotheses(const harness::Job& job) {
  const std::int64_t rounds = job.scalars.at("rounds");
  std::vector<Hypothesis> all = wrong_operands(job);
  if (rounds != 1)
    all.push_back(other_rounds(job, 1, fmt::format("b is added once, not {} times", rounds),
                               "the launch passes 1 in place of the function's `rounds`, or the kernel does "
                               "not use its parameter `rounds`"));
  all.push_back(
      other_rounds(job, rounds - 1, fmt::format("b is added {} times, not {} times", rounds - 1, rounds),
                   rounds == 1 ? "the loop over rounds starts at 1, or ends one round early; or the "
                                 "copy of b has too few bytes: a float has 4"
                               : "the loop over rounds starts at 1, or ends one round early"));
  all.push_back(other_rounds(job, rounds + 1,
                             fmt::format("b is added {} times, not {} times", rounds + 1, rounds),
                             "the loop over rounds runs once too often, or the sum starts with a[i] + b[i]"));
  return all;
}

class PinnedStreams final : public Workload {
 public:
  std::vector<std::string> entries() const override {
    return {"add_staged", "add_streams", kPipelined, kFacts};
  }
  std::vector<std::string> infinite_distributions(const std::string& /*entry*/) const override {
    return {"vast"};
  }
  std::vector<Parameter> parameters() const override {
    return {{"n", 1, std::numeric_limits<std::int32_t>::max()},
            {"segment", 1, std::int64_t{1} << 22U},
            {"rounds", 1, 4096}};
  }

  std::optional<std::string> further_problem(const Case& one_case) const override {
    if (one_case.entry == kFacts) {
      if (one_case.only_on == DeviceKind::virtual_gpu) return std::nullopt;
      return fmt::format(
          "{} depends on the device that the case describes, so it needs \"only_on\": \"virtual\"", kFacts);
    }
    const auto& sizes = one_case.workload;
    if (sizes.at("n") > kMaxElements)
      return fmt::format("n is {} when it should be at most {}", sizes.at("n"), kMaxElements);
    const auto device_bytes =
        static_cast<std::int64_t>(profile_for(one_case, vgpu::lecture_profile()).global_bytes);
    const std::int64_t buffer_bytes = kBufferSets * vector_bytes(sizes.at("segment"));
    if (buffer_bytes > device_bytes)
      return fmt::format("{} sets of buffers take {} bytes, but the device has {}", kBufferSets, buffer_bytes,
                         device_bytes);
    const std::int64_t additions = sizes.at("n") * sizes.at("rounds");
    if (one_case.only_on != DeviceKind::cuda && additions > kMaxAdditions)
      return fmt::format("n * rounds is {} when it should be at most {}", additions, kMaxAdditions);
    return std::nullopt;
  }

  harness::Job job(const Case& one_case) const override {
    return one_case.entry == kFacts ? facts_job(one_case) : addition_job(one_case);
  }
  std::vector<Expectation> expect(const harness::Job& job) const override {
    std::vector<Expectation> all;  // an initializer list would be copied
    all.push_back(is_about_facts(job) ? expected_facts(job) : expected_sums(job));
    return all;
  }
  std::vector<Hypothesis> hypotheses(const harness::Job& job) const override {
    return is_about_facts(job) ? facts_hypotheses(job) : sums_hypotheses(job);
  }

  std::map<std::string, double> quantities(const harness::Job& job) const override {
    const auto n = static_cast<double>(job.scalars.at("n"));
    return {{"element", n}};
  }
  std::vector<std::string> quantity_names() const override { return {"element"}; }
  TimeMeasure time_measure() const override { return TimeMeasure::call; }
};

}  // namespace

DeviceFacts device_facts_of(const harness::Job& job) {
  DeviceFacts facts;
  facts.copy_engines = static_cast<int>(job.scalars.at("copy_engines"));
  facts.overlaps_kernels = facts.copy_engines >= 1;
  facts.copies_both_ways = facts.copy_engines >= 2;
  facts.fits_vectors = vector_bytes(job.scalars.at("n")) <= job.scalars.at("device_bytes");
  return facts;
}

const Workload& workload() {
  static const PinnedStreams workload;
  return workload;
}

}  // namespace grader::pinned_streams
