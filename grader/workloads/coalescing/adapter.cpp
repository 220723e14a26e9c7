// The six functions of lab/coalescing.hpp.
#include <lab/coalescing.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

Answer call_transpose(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto function = arrays.function<decltype(::transpose)>();
    function(arrays.input(0), arrays.output(0), arrays.scalar("width"), arrays.scalar("height"));
  });
}

/// Calls the function for every block size; element b of the answer is for block size b, element 0 is unused.
Answer call_block_transpose_is_safe(const Functions& functions, Job& job, Link& link) {
  const int sizes = static_cast<int>(element_count(job.outputs.at(0).shape));
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto function = arrays.function<decltype(::block_transpose_is_safe)>();
    int* answers = arrays.output<int>(0);
    answers[0] = 0;
    for (int block_size = 1; block_size < sizes; ++block_size)
      answers[block_size] = function(block_size, arrays.scalar("threads_in_step"));
  });
}

Answer call_block_transpose(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto function = arrays.function<decltype(::block_transpose)>();
    function(arrays.output(0), arrays.scalar("width"), arrays.scalar("height"), arrays.scalar("block_size"));
  });
}

Answer call_matmul_corner_turning(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto function = arrays.function<decltype(::matmul_corner_turning)>();
    function(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("m"), arrays.scalar("k"),
             arrays.scalar("n"));
  });
}

Answer call_matvec(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto function = arrays.function<decltype(::matvec)>();
    function(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("rows"),
             arrays.scalar("columns"));
  });
}

Answer call_aos_to_soa(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto function = arrays.function<decltype(::aos_to_soa)>();
    function(arrays.input<Point>(0), arrays.output(0), arrays.output(1), arrays.output(2),
             arrays.scalar("points"));
  });
}

}  // namespace

Answer call_coalescing(const Functions& functions, Job& job, Link& link) {
  if (job.entry == "transpose") return call_transpose(functions, job, link);
  if (job.entry == "block_transpose_is_safe") return call_block_transpose_is_safe(functions, job, link);
  if (job.entry == "block_transpose") return call_block_transpose(functions, job, link);
  if (job.entry == "matmul_corner_turning") return call_matmul_corner_turning(functions, job, link);
  if (job.entry == "matvec") return call_matvec(functions, job, link);
  return call_aos_to_soa(functions, job, link);
}

}  // namespace grader::harness
