// Typical mistakes, computed from the inputs. In a block's sum, a missing step of the tree or a wrong index
// omits elements; thread t of a block starts with element t of the block's 512 elements.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "workloads/reduction/workload.hpp"

namespace grader::reduction {
namespace {

/// A mistake that omits elements. Only elements whose thread passes `holds` remain in the sum.
struct Omission {
  const char* pattern;
  bool (*holds)(std::size_t thread);
  const char* likely_cause;
  const char* next_step;
};

constexpr const char* kLoop =
    "let the stride run from half of the elements down to 1, both included: 256, 128, …, 2, 1";
constexpr const char* kShuffles = "use all five shuffle offsets: 16, 8, 4, 2, 1";

constexpr const char* kOwnValue =
    "lane 0 adds its own value in every step: no lane is below it, so __shfl_up_sync returns its own value";
constexpr const char* kLanesAbove =
    "let lane 0 get the values of the lanes above it: __shfl_down_sync, or __shfl_xor_sync";

constexpr std::array<Omission, 7> kOmissions{{
    {"each sum contains only the elements of even threads", [](std::size_t t) { return t % 2 == 0; },
     "the tree's last step, with stride or offset 1, is missing", kLoop},
    {"each sum contains only the first half of its block", [](std::size_t t) { return t < 256; },
     "the tree's first step, with stride 256, is missing, the second element of each thread is not loaded, "
     "or "
     "the launch has half as many threads in a block as the kernel takes for its elements",
     "let the stride run from half of the elements down to 1, both included: 256, 128, …, 2, 1; compare the "
     "number of threads in the launch with that in the kernel's index"},
    {"each sum contains only lanes 0 to 15 of every warp", [](std::size_t t) { return t % 32 < 16; },
     "the shuffle with offset 16 is missing", kShuffles},
    {"each sum contains only the block's first 32 elements", [](std::size_t t) { return t < 32; },
     "the results of the block's other warps are not added",
     "collect one value per warp in shared memory, then let one warp add them"},
    {"each sum contains only elements 0, 32, 64, … of its block", [](std::size_t t) { return t % 32 == 0; },
     "the 32 lanes of a warp are not added up", kShuffles},
    {"each sum contains only its block's first element", [](std::size_t t) { return t == 0; },
     "the tree adds nothing to thread 0: its loop does not run, or its result is stored elsewhere", kLoop},
    {"each sum lacks its block's last element", [](std::size_t t) { return t != 511; },
     "a guard is too strict by one", "compare with <, and index from 0"},
}};

/// Sum over the elements of a block that pass the test.
template <class Test>
double sum_of(const std::vector<float>& values, std::size_t block, Test test) {
  double sum = 0;
  for (std::size_t t = 0; t < kReductionBlock; ++t) {
    const std::size_t i = block * kReductionBlock + t;
    if (i < values.size() && test(t)) sum += static_cast<double>(values[i]);
  }
  return sum;
}

/// A step of a tree adds elements at a distance. Without it, only those whose number lacks this bit remain.
void add_missing_steps(std::vector<Hypothesis>& all, const harness::Job& job) {
  const bool uses_shuffles = job.entry == "block_sums_shuffle";
  const auto add = [&, values = &job.inputs[0].values](std::size_t distance, auto holds) {
    const std::string step =
        fmt::format("the {} {}", uses_shuffles ? "shuffle with offset" : "step with stride", distance);
    all.push_back({"WG-V08", fmt::format("each sum lacks the elements that {} adds", step),
                   step + " is missing", uses_shuffles ? kShuffles : kLoop, job.outputs[0].name,
                   [values, holds](std::size_t block) { return sum_of(*values, block, holds); }});
  };
  if (!uses_shuffles)
    for (const std::size_t stride : {2, 4, 8, 16, 32, 64, 128})
      add(stride, [stride](std::size_t t) { return (t & stride) == 0; });
  else
    for (const std::size_t offset : {1, 2, 4, 8}) {
      add(offset, [offset](std::size_t t) { return (t & offset) == 0; });
      // The same function often adds up the warps' sums, too.
      add(offset, [offset](std::size_t t) { return (t & offset) == 0 && (t / 32 & offset) == 0; });
    }
}

}  // namespace

std::vector<Hypothesis> block_sums_hypotheses(const harness::Job& job) {
  const std::vector<float>* values = &job.inputs[0].values;
  const std::string output = job.outputs[0].name;
  std::vector<Hypothesis> all;
  for (const Omission& one : kOmissions)
    all.push_back({"WG-V08", one.pattern, one.likely_cause, one.next_step, output,
                   [values, &one](std::size_t block) { return sum_of(*values, block, one.holds); }});
  add_missing_steps(all, job);
  // Each lane of the first warp reads the sum of the first warp.
  constexpr int kWarpsOfBlock = kReductionBlock / 32;
  for (const int times : {kWarpsOfBlock, 32})
    all.push_back({"WG-V08", fmt::format("each sum is {} times that of its block's first 32 elements", times),
                   "every lane of the warp that adds the warps' sums reads the sum of the first warp: the "
                   "index of the load is the warp's number in place of the lane's",
                   "let each lane read the sum of another warp: of_warps[lane]", output,
                   [values, times](std::size_t block) {
                     return times * sum_of(*values, block, [](std::size_t t) { return t < 32; });
                   }});
  all.push_back({"WG-V09", "each sum is too large by 1 for each element that its block lacks",
                 "threads without an element contribute 1", "let threads without an element contribute 0",
                 output,
                 [values](std::size_t block) {
                   const std::size_t end = (block + 1) * kReductionBlock;
                   const std::size_t missing = end > values->size() ? end - values->size() : 0;
                   const double sum = sum_of(*values, block, [](std::size_t) { return true; });
                   return sum + static_cast<double>(missing);
                 },
                 1});
  // A shuffle beyond the end of its part of the warp returns the lane's own value, which is added once more:
  // in the warps, and again where one warp adds the results of all.
  for (const int times : {4, 2})
    all.push_back({"WG-V08", fmt::format("each sum is {} times that of lanes 0 to 15 of every warp", times),
                   "the fourth argument of the shuffles, width, is 16: the halves of a warp exchange nothing",
                   "leave out the fourth argument, so that all 32 lanes exchange values", output,
                   [values, times](std::size_t block) {
                     return times * sum_of(*values, block, [](std::size_t t) { return t % 32 < 16; });
                   }});
  // A shuffle with offset 32 returns the lane's own value: a warp's sum is doubled, and so is the sum of all
  // warps.
  if (job.entry == "block_sums_shuffle")
    for (const int times : {4, 2})
      all.push_back(
          {"WG-V08", fmt::format("each sum is {} times what it should be", times),
           "the first shuffle has offset 32, which no lane has: it returns the lane's own value, which is "
           "added to itself; or each element is added several times",
           "use five shuffles, with offsets 16, 8, 4, 2, 1", output, [values, times](std::size_t block) {
             return times * sum_of(*values, block, [](std::size_t) { return true; });
           }});
  // __shfl_up in place of __shfl_down: lane 0 gets its own value in each of the five steps.
  for (const int times : {32, 1024})
    all.push_back({"WG-V08", fmt::format("each sum is {} times its block's first element", times), kOwnValue,
                   kLanesAbove, output, [values, times](std::size_t block) {
                     return times * sum_of(*values, block, [](std::size_t t) { return t == 0; });
                   }});
  all.push_back({"WG-V08", "each sum is 32 times that of elements 0, 32, 64, … of its block", kOwnValue,
                 kLanesAbove, output, [values](std::size_t block) {
                   return 32 * sum_of(*values, block, [](std::size_t t) { return t % 32 == 0; });
                 }});
  all.push_back(
      {"WG-V04", "every block adds the elements of block 0",
       "the index of the load does not depend on blockIdx.x",
       "load element blockIdx.x * blockDim.x + threadIdx.x", output,
       [values](std::size_t /*block*/) { return sum_of(*values, 0, [](std::size_t) { return true; }); }});
  return all;
}

namespace {

/// A sum that lacks elements, whatever the grid: those of a missing step of each block's tree, or those
/// beyond what a first block, or a second level of one block, adds.
void add_partial_totals(std::vector<Hypothesis>& all, const harness::Job& job) {
  const auto add = [&](const std::string& pattern, const char* cause, const char* next, auto counts) {
    all.push_back({"WG-V08", pattern, cause, next, job.outputs[0].name,
                   [values = &job.inputs[0].values, counts](std::size_t) {
                     double sum = 0;
                     for (std::size_t i = 0; i < values->size(); ++i)
                       if (counts(i)) sum += static_cast<double>((*values)[i]);
                     return sum;
                   }});
  };
  const char* const last_step = "the last step of the tree, with stride or offset 1, is missing";
  add("only elements of even threads are added", last_step, kLoop, [](std::size_t i) { return i % 2 == 0; });
  for (const std::size_t T : {256, 512, 1024, 128, 64}) {
    if (job.inputs[0].values.size() <= T) continue;
    add(fmt::format("only elements of even threads, in even blocks of {}, are added", T), last_step, kLoop,
        [T](std::size_t i) { return i % 2 == 0 && i / T % 2 == 0; });
    add(fmt::format("only the first {} elements are added", T),
        "the sums of the other blocks are not added: the second level is missing, or adds only one sum",
        "launch a second kernel that adds the sums of all blocks, or let each block add its own with "
        "atomicAdd",
        [T](std::size_t i) { return i < T; });
    add(fmt::format("only the first half of each block of {} is added", T),
        "the first step of the tree is missing: its stride begins at a quarter of the block", kLoop,
        [T](std::size_t i) { return i % T < T / 2; });
    add(fmt::format("only the first {} blocks of {} elements are added", T, T),
        "the second level has one block, in which each thread adds one sum: there are more sums than threads",
        "let the threads of the second level add several sums each, in a loop",
        [T](std::size_t i) { return i < T * T; });
  }
}

}  // namespace

std::vector<Hypothesis> sum_hypotheses(const harness::Job& job) {
  const std::vector<float>* values = &job.inputs[0].values;
  constexpr std::size_t kThreads = 256;
  const auto counted_by_all_blocks = [values](std::size_t) {
    double sum = 0;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const std::size_t block = i / kThreads;
      sum += static_cast<double>(block + 1) * static_cast<double>((*values)[i]);
    }
    return sum;
  };
  std::vector<Hypothesis> all{{"WG-V09",
                               "block b adds all elements from 256 b on, also those of the blocks after it",
                               "the loop's stride is the number of threads of one block",
                               "let the stride be the number of threads in the grid: gridDim.x * blockDim.x",
                               job.outputs[0].name, counted_by_all_blocks, 1}};
  add_partial_totals(all, job);
  return all;
}

namespace {

/// The largest of all elements and `starts`, compared as integers that have the floats' bits.
template <class Bits>
double largest_by_bits(const std::vector<float>& values, const std::vector<float>& starts) {
  Bits largest = std::numeric_limits<Bits>::min();
  for (const auto* list : {&values, &starts})
    for (const float value : *list) largest = std::max(largest, std::bit_cast<Bits>(value));
  return std::bit_cast<float>(largest);
}

/// The right start, -infinity, or an element, after an operation that changes it.
void add_changed_starts(std::vector<Hypothesis>& all, const std::vector<float>& values,
                        const std::string& output) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto add = [&, largest = *std::max_element(values.begin(), values.end())](
                       double number, const char* pattern, const char* cause, const char* next) {
    if (number > static_cast<double>(largest))
      all.push_back({"WG-V09", pattern, cause, next, output, [number](std::size_t) { return number; }});
  };
  add(kInfinity, "it is infinity, which is greater than every element",
      "the maximum starts at infinity, or at -infinity and signs are dropped (fabsf)",
      "start at -INFINITY, and compare the elements themselves: fmaxf(a, b)");
  for (const double least : {-0x1p31, -0x1p63})
    add(least, "it is the least integer, which is greater than every element",
        "elements, or the number with which the maximum starts, are converted to integers",
        "keep and compare floats, and start at -INFINITY");
}

}  // namespace

std::vector<Hypothesis> maximum_hypotheses(const harness::Job& job) {
  const std::vector<float>* values = &job.inputs[0].values;
  const std::string output = job.outputs[0].name;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  std::vector<Hypothesis> all;
  const double least = *std::min_element(values->begin(), values->end());
  const auto add_order = [&](const std::string& pattern, const char* other_cause, auto values_of) {
    all.push_back(
        {"WG-V04", pattern,
         fmt::format("{}floats are compared through their bits, by an integer atomic or comparison: the more "
                     "negative float has the greater bits, and -0 has the least, although -0 >= 0 is true",
                     other_cause),
         "use fmaxf, or map the bits to integers in the order of the floats before atomicMax", output,
         values_of});
  };
  // Of numbers below 0, the least has the greatest bits.
  add_order("it is the least element, not the greatest",
            "the least is taken (fminf, or < in place of >), or ", [least](std::size_t) { return least; });
  add_order("it is -infinity, which is less than every element",
            "elements that do not exist, which count as -infinity, are added to the others, magnitudes "
            "(fabsf) are compared, the least is taken (fminf, or < in place of >), or ",
            [](std::size_t) { return kLowest; });
  for (const auto& starts : {std::vector<float>{}, {kLowest}})
    add_order("it is the largest if the bits of floats are compared as signed integers", "",
              [=](std::size_t) { return largest_by_bits<std::int32_t>(*values, starts); });
  all.push_back({"WG-V04", "it is the largest of all absolute values", "signs are dropped before comparing",
                 "compare the elements themselves: fmaxf(a, b)", output, [values](std::size_t) {
                   double largest = 0;
                   for (const float value : *values)
                     largest = std::max(largest, std::abs(static_cast<double>(value)));
                   return largest;
                 }});
  add_changed_starts(all, *values, output);
  all.push_back({"WG-V08",
                 "it is the sum of all elements",
                 "the values are added in place of compared",
                 "combine two values with fmaxf(a, b)",
                 output,
                 {}});
  all.back().values_with = [values](std::size_t, double number) {
    double sum = 0, magnitude = 0;
    for (const float value : *values) {
      sum += static_cast<double>(value);
      magnitude += std::abs(static_cast<double>(value));
    }
    const bool is_sum = values->size() > 1 && std::abs(number - sum) <= 1e-5 * magnitude;
    return is_sum ? number : std::numeric_limits<double>::quiet_NaN();
  };
  all.push_back(
      {"WG-V08",
       "it is one of the elements, but not the greatest",
       "the greatest element is left out: one at the end, where n is not a multiple of the block or of "
       "the elements in a load, the first one, or the result of a block that the second level does not "
       "read",
       "compare every element: round numbers of groups up, with a guard at the end, and let the second "
       "level read all partial results",
       output,
       {}});
  all.back().values_with = [values](std::size_t, double number) {
    const float largest = *std::max_element(values->begin(), values->end());
    const bool is_other = number < largest && std::find(values->begin(), values->end(),
                                                        static_cast<float>(number)) != values->end();
    return is_other ? number : std::numeric_limits<double>::quiet_NaN();
  };
  all.push_back(
      {"WG-V09",
       "it is {number}, which is greater than every element",
       "the maximum starts at {number}, elements that do not exist count as {number}, or values are changed "
       "before they are compared",
       "start at -INFINITY, which no element is less than, and use it for threads without an element",
       output,
       {}});
  all.back().values_with = [largest = *std::max_element(values->begin(), values->end())](std::size_t,
                                                                                         double number) {
    return number > largest ? number : std::numeric_limits<double>::quiet_NaN();
  };
  return all;
}

std::vector<Hypothesis> warps_hypotheses(const harness::Job& job) {
  const std::size_t n = job.inputs[0].values.size();
  const std::size_t blocks = (n + 32 * kVectorAddWarps - 1) / (32 * kVectorAddWarps);
  const std::size_t warps = blocks * kVectorAddWarps, divergent = n % 32 == 0 ? 0 : 1;
  std::vector<Hypothesis> all;
  const auto add = [&](const char* pattern, const char* cause, const char* next, std::size_t first,
                       std::size_t second) {
    all.push_back({"WG-V01", pattern, cause, next, "warps",
                   [=](std::size_t i) { return static_cast<double>(i == 0 ? first : second); }, 1});
  };
  const char* divergence = "h_warps[1] is 1 if n is not a multiple of 32, else 0";
  add("the warps without any element are counted as divergent, too",
      "all warps that reach beyond n are counted, but a warp whose lanes all fail the guard does not diverge",
      divergence, warps, warps - n / 32);
  add("a warp is counted as divergent although n is a multiple of 32",
      "n is not compared with a multiple of 32: if a warp begins at n, no warp has lanes on both sides",
      divergence, warps, 1);
  add("no warp is counted as divergent", "h_warps[1] is always 0, or its condition is never true", divergence,
      warps, 0);
  for (const bool are_idle : {true, false})
    add(are_idle ? "the lanes without an element are counted, not the warps that diverge"
                 : "the lanes with an element in the last warp are counted, not the warps that diverge",
        are_idle ? "h_warps[1] is the number of idle lanes" : "h_warps[1] is n % 32", divergence, warps,
        n % 32 == 0 ? 0
        : are_idle  ? 32 - n % 32
                    : n % 32);
  const char* launched =
      "a launch has whole blocks: h_warps[0] is the number of blocks, times 8 warps per block";
  add("only the warps with an element are counted", "h_warps[0] is n / 32, rounded up", launched,
      (n + 31) / 32, divergent);
  add("blocks are counted, not warps", "the number of blocks is not multiplied by the warps of a block",
      launched, blocks, divergent);
  add("threads are counted, not warps", "the number of blocks is multiplied by the threads of a block",
      launched, blocks * 32 * kVectorAddWarps, divergent);
  add("the two numbers are exchanged", "h_warps[0] has the number for h_warps[1], and the reverse",
      "h_warps[0] is the number of launched warps, h_warps[1] that of divergent warps", divergent, warps);
  add("the number of blocks is rounded down", "n / 256 drops the last, partial block", launched,
      n / (32 * kVectorAddWarps) * kVectorAddWarps, divergent);
  add("only the warps whose 32 lanes all have an element are counted", "h_warps[0] is n / 32, rounded down",
      launched, n / 32, divergent);
  return all;
}

}  // namespace grader::reduction
