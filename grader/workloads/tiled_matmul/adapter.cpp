// void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) and
// tiled_matmul_dynamic.
#include <lab/tiled_matmul.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {

Answer call_tiled_matmul(void* entry, Job& job, Link& link) {
  const auto product = as_function<decltype(::tiled_matmul)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    product(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("m"), arrays.scalar("k"),
            arrays.scalar("n"));
  });
}

}  // namespace grader::harness
