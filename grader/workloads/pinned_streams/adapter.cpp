// void add_*(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds), and
// void device_facts(int* facts, int n).
#include <lab/pinned_streams.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {

Answer call_pinned_streams(const Functions& functions, Job& job, Link& link) {
  if (job.entry == "device_facts") {
    return run_calls(functions, job, link, [&](const Arrays& arrays) {
      const auto facts = arrays.function<decltype(::device_facts)>();
      facts(arrays.output<int>(0), arrays.scalar("n"));
    });
  }
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto add = arrays.function<decltype(::add_staged)>();  // all three have its signature
    add(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("n"), arrays.scalar("segment"),
        arrays.scalar("rounds"));
  });
}

}  // namespace grader::harness
