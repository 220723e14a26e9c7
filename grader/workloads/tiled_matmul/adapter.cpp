// void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) and
// tiled_matmul_dynamic.
#include <lab/tiled_matmul.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {

Answer call_tiled_matmul(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto product = arrays.function<decltype(::tiled_matmul)>();
    product(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("m"), arrays.scalar("k"),
            arrays.scalar("n"));
  });
}

}  // namespace grader::harness
