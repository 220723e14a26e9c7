// The elements in a block's sum if a step of its tree is missing or an index is wrong. Thread t of a block
// starts with element t of the block's 512 elements.
#include <array>

#include "workloads/reduction/workload.hpp"

namespace grader {
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

constexpr std::array<Omission, 7> kOmissions{{
    {"each sum contains only the elements of even threads", [](std::size_t t) { return t % 2 == 0; },
     "the tree's last step, with stride or offset 1, is missing", kLoop},
    {"each sum contains only the first half of its block", [](std::size_t t) { return t < 256; },
     "the tree's first step, with stride 256, is missing", kLoop},
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

}  // namespace

std::vector<Hypothesis> block_sums_hypotheses(const harness::Job& job) {
  const std::vector<float>* values = &job.inputs[0].values;
  const std::string output = job.outputs[0].name;
  std::vector<Hypothesis> all;
  for (const Omission& one : kOmissions)
    all.push_back({"WG-V08", one.pattern, one.likely_cause, one.next_step, output,
                   [values, &one](std::size_t block) { return sum_of(*values, block, one.holds); }});
  all.push_back(
      {"WG-V04", "every block adds the elements of block 0",
       "the index of the load does not depend on blockIdx.x",
       "load element blockIdx.x * blockDim.x + threadIdx.x", output,
       [values](std::size_t /*block*/) { return sum_of(*values, 0, [](std::size_t) { return true; }); }});
  return all;
}

}  // namespace grader
