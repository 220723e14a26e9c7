// void step(float* r, const float* d, int n) and step_v1, host arrays; pad_transpose, device arrays.
#include <lab/min_plus.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {

Answer call_min_plus(void* entry, Job& job, Link& link) {
  const int n = scalar(job, "n");
  if (job.entry != "pad_transpose") {
    const auto step = as_function<decltype(::step)>(entry);
    return run_calls(job, link, [&](const Arrays& arrays) { step(arrays.output(0), arrays.input(0), n); });
  }
  const auto pad_transpose = as_function<decltype(::pad_transpose)>(entry);
  const int nn = static_cast<int>(job.outputs[0].shape[0]);
  return run_calls(job, link, [&](const Arrays& arrays) {
    pad_transpose(arrays.input(0), arrays.output(0), arrays.output(1), n, nn);
  });
}

}  // namespace grader::harness
