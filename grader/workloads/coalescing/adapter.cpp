// The six functions of lab/coalescing.hpp.
#include <lab/coalescing.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

Answer call_transpose(void* entry, Job& job, Link& link) {
  const auto function = as_function<decltype(::transpose)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    function(arrays.input(0), arrays.output(0), arrays.scalar("width"), arrays.scalar("height"));
  });
}

/// Calls the function for every block size; element b of the answer is for block size b, element 0 is unused.
Answer call_block_transpose_is_safe(void* entry, Job& job, Link& link) {
  const auto function = as_function<decltype(::block_transpose_is_safe)>(entry);
  const int sizes = static_cast<int>(element_count(job.outputs.at(0).shape));
  return run_calls(job, link, [&](const Arrays& arrays) {
    int* answers = arrays.output<int>(0);
    answers[0] = 0;
    for (int block_size = 1; block_size < sizes; ++block_size)
      answers[block_size] = function(block_size, arrays.scalar("threads_in_step"));
  });
}

Answer call_block_transpose(void* entry, Job& job, Link& link) {
  const auto function = as_function<decltype(::block_transpose)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    function(arrays.output(0), arrays.scalar("width"), arrays.scalar("height"), arrays.scalar("block_size"));
  });
}

Answer call_matmul_corner_turning(void* entry, Job& job, Link& link) {
  const auto function = as_function<decltype(::matmul_corner_turning)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    function(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("m"), arrays.scalar("k"),
             arrays.scalar("n"));
  });
}

Answer call_matvec(void* entry, Job& job, Link& link) {
  const auto function = as_function<decltype(::matvec)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    function(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("rows"),
             arrays.scalar("columns"));
  });
}

Answer call_aos_to_soa(void* entry, Job& job, Link& link) {
  const auto function = as_function<decltype(::aos_to_soa)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    function(arrays.input<Point>(0), arrays.output(0), arrays.output(1), arrays.output(2),
             arrays.scalar("points"));
  });
}

}  // namespace

Answer call_coalescing(void* entry, Job& job, Link& link) {
  if (job.entry == "transpose") return call_transpose(entry, job, link);
  if (job.entry == "block_transpose_is_safe") return call_block_transpose_is_safe(entry, job, link);
  if (job.entry == "block_transpose") return call_block_transpose(entry, job, link);
  if (job.entry == "matmul_corner_turning") return call_matmul_corner_turning(entry, job, link);
  if (job.entry == "matvec") return call_matvec(entry, job, link);
  return call_aos_to_soa(entry, job, link);
}

}  // namespace grader::harness
