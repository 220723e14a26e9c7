// Typical mistakes of the functions that count sixes, computed from the inputs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "workloads/reduction/workload.hpp"

namespace grader::reduction {
namespace {

constexpr std::size_t kLanes = 32, kThreads = 256;

/// A comparison that accepts other elements than 6.
struct WrongTest {
  const char* accepted;
  const char* likely_cause;
  bool (*holds)(float value);
};

constexpr std::array<WrongTest, 10> kWrongTests{{
    {"are 6 or -6", "the sign is lost before the comparison, as with abs() or a square",
     [](float value) { return std::abs(value) == kSix; }},
    {"are not 6",
     "the comparison is the opposite: != in place of ==", [](float value) { return value != kSix; }},
    {"are at least 6", "the comparison is >= in place of ==", [](float value) { return value >= kSix; }},
    {"are greater than 6", "the comparison is > in place of ==", [](float value) { return value > kSix; }},
    {"are at most 6", "the comparison is <= in place of ==", [](float value) { return value <= kSix; }},
    {"are less than 6", "the comparison is < in place of ==", [](float value) { return value < kSix; }},
    {"are 5", "the comparison is with 5", [](float value) { return value == kSix - 1; }},
    {"are 7", "the comparison is with 7", [](float value) { return value == kSix + 1; }},
    {"are not 0", "the element itself is the condition: nothing is compared with 6",
     [](float value) { return value != 0; }},
    {"exist", "every element is counted: nothing is compared with 6", [](float) { return true; }},
}};

/// Of the elements from `first` on, at most `length`, those that pass the test.
template <class Test>
double number_of(const std::vector<float>& values, std::size_t first, std::size_t length, Test test) {
  const std::size_t end = std::min(values.size(), first + length);
  double number = 0;
  for (std::size_t i = first; i < end; ++i) number += test(values[i]) ? 1 : 0;
  return number;
}

void add_wrong_tests(std::vector<Hypothesis>& all, const std::vector<float>* values) {
  for (const WrongTest& one : kWrongTests)
    for (const bool is_of_group : {true, false})
      all.push_back({"WG-V01", fmt::format("it is the number of elements that {}", one.accepted),
                     one.likely_cause, "count the elements for which in[i] == 6",
                     is_of_group ? "counts" : "count",
                     [values, holds = one.holds, is_of_group](std::size_t i) {
                       return is_of_group ? number_of(*values, i * kLanes, kLanes, holds)
                                          : number_of(*values, 0, values->size(), holds);
                     },
                     1});
}

}  // namespace

std::vector<Hypothesis> sixes_hypotheses(const harness::Job& job) {
  const std::vector<float>* values = &job.inputs[0].values;
  std::vector<Hypothesis> all;
  const auto add = [&](const char* output, const std::string& pattern, const char* cause, const char* next,
                       std::function<double(std::size_t)> element) {
    all.push_back({"WG-V01", pattern, cause, next, output, std::move(element), 1});
  };
  // The harness fills memory with bits that are -1 as an integer.
  add("count", "it is one less than the number of sixes",
      "the count is not set to 0 before threads add to it, or a loop or a guard leaves out a group of lanes "
      "with "
      "a six",
      "store 0 to the count, with cudaMemset or a kernel, before the launch that adds to it; let the loop "
      "reach "
      "the last, partial group, too",
      [values](std::size_t) {
        return static_cast<double>(std::count(values->begin(), values->end(), kSix)) - 1;
      });
  for (const int bytes : {1, 2})
    add("count", bytes == 1 ? "only its first byte was set to 0" : "only its first two bytes were set to 0",
        "the third argument of cudaMemset or cudaMemsetAsync is a number of bytes, and an int has 4",
        "set sizeof(int) bytes to 0", [values, bytes](std::size_t) {
          const double rest = -std::ldexp(1.0, 8 * bytes);  // the other bytes keep their bits
          return static_cast<double>(std::count(values->begin(), values->end(), kSix)) + rest;
        });
  for (const int times : {32, 256, 8})
    add("count", fmt::format("it is {} times the number of sixes", times),
        times == 8    ? "each warp of a block adds the count of the whole block"
        : times == 32 ? "every lane adds the count of its warp, or one lane adds it for each lane"
                      : "every thread adds the count of its block",
        times == 8 ? "let one thread of the block add its count: threadIdx.x == 0"
                   : "let one lane of each warp add the count of its warp: threadIdx.x % 32 == 0",
        [values, times](std::size_t) {
          return static_cast<double>(times * std::count(values->begin(), values->end(), kSix));
        });
  add("counts", "it is the position of the group's first six, counted from 1",
      "__ffs finds the first bit of a ballot", "count the bits of the ballot with __popc",
      [values](std::size_t warp) {
        for (std::size_t lane = 0; lane < 32 && 32 * warp + lane < values->size(); ++lane)
          if ((*values)[32 * warp + lane] == kSix) return static_cast<double>(lane + 1);
        return 0.0;
      });
  const auto sixes_of = [values](std::size_t warp) {
    return number_of(*values, warp * kLanes, kLanes, [](float value) { return value == kSix; });
  };
  const auto has_six = [sixes_of](std::size_t warp) { return sixes_of(warp) > 0 ? 1.0 : 0.0; };
  add("counts", "it is 1 for each group with a six, not the number of sixes",
      "the vote any() is stored, or its result is counted",
      "count the bits of a ballot: __popc(__ballot_sync(mask, in[i] == 6))", has_six);
  add("any", "it is the number of sixes, not 1", "the bits of the ballot are counted",
      "store whether the ballot has any bit: __any_sync, or ballot != 0", sixes_of);
  add("any", "`any` and `all` are exchanged", "the vote all() is stored as `any`",
      "__any_sync is for `any`, __all_sync for `all`", [values, sixes_of](std::size_t warp) {
        const auto lanes = std::min(kLanes, values->size() - warp * kLanes);
        return sixes_of(warp) == static_cast<double>(lanes) ? 1.0 : 0.0;
      });
  const auto ballot_of = [values](std::size_t warp) {
    std::uint32_t ballot = 0;
    for (std::size_t lane = 0; lane < 32 && 32 * warp + lane < values->size(); ++lane)
      ballot |= ((*values)[32 * warp + lane] == kSix ? 1U : 0U) << lane;
    return static_cast<double>(static_cast<float>(static_cast<std::int32_t>(ballot)));
  };
  add("any", "it is the ballot of the warp, not 1", "the bits of the lanes' votes are stored",
      "store whether the ballot has any bit: __any_sync, or ballot != 0", ballot_of);
  add("counts", "it is the ballot of the warp, not the number of its bits",
      "the bits of the lanes' votes are stored as they are", "count the bits of the ballot with __popc",
      ballot_of);
  add("count", "only the first warp of each block is counted",
      "threadIdx.x == 0 is true for one thread of a block, not for lane 0 of each of its warps",
      "let lane 0 of each warp add its count: threadIdx.x % 32 == 0", [values](std::size_t) {
        double count = 0;
        for (std::size_t i = 0; i < values->size(); ++i)
          count += i % kThreads < kLanes && (*values)[i] == kSix ? 1 : 0;
        return count;
      });
  add("all", "the last, partial warp does not count as all sixes",
      "lanes without an element vote that they have no 6, or the number of sixes is compared with 32, "
      "although "
      "the group has fewer elements",
      "let lanes without an element pass true where the question is whether all elements are 6, or compare "
      "with "
      "the number of the group's elements",
      [values](std::size_t warp) {
        const std::size_t first = warp * kLanes, end = std::min(first + kLanes, values->size());
        const bool is_full = end - first == kLanes;
        return is_full && std::all_of(values->begin() + static_cast<std::ptrdiff_t>(first),
                                      values->begin() + static_cast<std::ptrdiff_t>(end),
                                      [](float value) { return value == kSix; })
                   ? 1.0
                   : 0.0;
      });
  add("count", "it is the sum of the sixes, not their number", "each six adds 6", "add 1 for each six",
      [values](std::size_t) {
        return static_cast<double>(kSix) *
               static_cast<double>(std::count(values->begin(), values->end(), kSix));
      });
  add("count", "each block counts the elements of the first block", "the index lacks the number of the block",
      "use blockIdx.x * blockDim.x + threadIdx.x", [values](std::size_t) {
        double number = 0;
        for (std::size_t i = 0; i < values->size(); ++i) number += (*values)[i % kThreads] == kSix ? 1 : 0;
        return number;
      });
  add("count", "only the elements of each warp's lane 0 are counted",
      "lane 0 adds what it counted itself: the other lanes' counts are not added to it",
      "add up the lanes' counts, with a ballot or shuffles, before lane 0 adds the sum",
      [values](std::size_t) {
        double number = 0;
        for (std::size_t i = 0; i < values->size(); i += kLanes) number += (*values)[i] == kSix ? 1 : 0;
        return number;
      });
  add_wrong_tests(all, values);
  return all;
}

}  // namespace grader::reduction
