// The six functions of 04-coalescing: transpose, block_transpose_is_safe, block_transpose,
// matmul_corner_turning, matvec, aos_to_soa (specified in labs/include/lab/coalescing.hpp).
//
// Functions that only move numbers must be exact. The allowed error of an element of P = M × N or of y = A ·
// x is c(k) · u · Σ |terms| + a tiny floor, with k terms (lab/error_bounds.hpp).
#pragma once

#include "lab/workload.hpp"

namespace grader::coalescing {

const Workload& workload();

/// block_transpose_is_safe() is called for block sizes 1 to this.
inline constexpr std::size_t kMaxBlockSize = 32;

/// Whether, in a block_size × block_size block that transposes a tile through shared memory, every thread
/// reads an element that a thread of its own group wrote. A group is `threads_in_step` threads with
/// consecutive numbers; all of them store before any of them loads. Checked thread by thread.
bool is_safe_without_barrier(std::size_t block_size, std::size_t threads_in_step);

/// A scalar of the job that is an extent or a count.
inline std::size_t size_of(const harness::Job& job, const char* name) {
  return static_cast<std::size_t>(job.scalars.at(name));
}

/// The definition of one of the functions.
struct CoalescingProblem {
  std::string entry;
  /// Inputs and outputs.
  harness::Job (*job)(const Case& one_case);
  std::vector<Expectation> (*expect)(const harness::Job& job);
  /// 2 per term of a sum, 1 per element that is only moved.
  double (*operations)(const harness::Job& job);
  std::vector<Hypothesis> (*hypotheses)(const harness::Job& job);
};

/// In the order of the lab's tasks (problems.cpp).
const std::vector<CoalescingProblem>& coalescing_problems();

// Results of typical mistakes (hypotheses.cpp). They refer to the job.
std::vector<Hypothesis> transpose_hypotheses(const harness::Job& job);
std::vector<Hypothesis> safety_hypotheses(const harness::Job& job);
std::vector<Hypothesis> block_transpose_hypotheses(const harness::Job& job);
std::vector<Hypothesis> corner_hypotheses(const harness::Job& job);
std::vector<Hypothesis> matvec_hypotheses(const harness::Job& job);
std::vector<Hypothesis> points_hypotheses(const harness::Job& job);

}  // namespace grader::coalescing
