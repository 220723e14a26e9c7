// void add_*(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds), and
// void device_facts(int* facts, int n).
#include <lab/pinned_streams.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {

Answer call_pinned_streams(void* entry, Job& job, Link& link) {
  if (job.entry == "device_facts") {
    const auto facts = as_function<decltype(::device_facts)>(entry);
    return run_calls(job, link,
                     [&](const Arrays& arrays) { facts(arrays.output<int>(0), arrays.scalar("n")); });
  }
  const auto add = as_function<decltype(::add_staged)>(entry);  // all three have its signature
  return run_calls(job, link, [&](const Arrays& arrays) {
    add(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("n"), arrays.scalar("segment"),
        arrays.scalar("rounds"));
  });
}

}  // namespace grader::harness
