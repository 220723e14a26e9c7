// The functions of lab/reduction.hpp, grouped by their array parameters.
#include <lab/reduction.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

using Call = void (*)(const Arrays& arrays, int n);

void call_vector_add(const Arrays& arrays, int n) {
  arrays.function<decltype(::vector_add)>()(arrays.input(0), arrays.input(1), arrays.output(0), n,
                                            arrays.output<int>(1));
}

/// Sums and the maximum: one input and one output array.
void call_float_reduction(const Arrays& arrays, int n) {
  arrays.function<decltype(::reduce_sum)>()(arrays.input(0), arrays.output(0), n);
}

void call_six_votes(const Arrays& arrays, int n) {
  arrays.function<decltype(::six_votes)>()(arrays.input<int>(0), arrays.output<int>(0), arrays.output<int>(1),
                                           arrays.output<int>(2), n);
}

void call_count(const Arrays& arrays, int n) {
  arrays.function<decltype(::count_six)>()(arrays.input<int>(0), arrays.output<int>(0), n);
}

Call call_of(const std::string& entry) {
  if (entry == "vector_add") return call_vector_add;
  if (entry == "six_votes") return call_six_votes;
  if (entry == "count_six" || entry == "count_six_atomic") return call_count;
  return call_float_reduction;
}

}  // namespace

Answer call_reduction(const Functions& functions, Job& job, Link& link) {
  const Call call = call_of(job.entry);
  return run_calls(functions, job, link, [&](const Arrays& arrays) { call(arrays, arrays.scalar("n")); });
}

}  // namespace grader::harness
