// void saxpy(int n, float a, const float* d_x, float* d_y); saxpy_from_host, the same for arrays in host
// memory; and saxpy_in_blocks, which returns the launch's error.
#include <lab/saxpy.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

/// The errors of launches whose blocks are impossible. A driver's answer differs between releases of CUDA.
#ifdef WARPGRADE_VIRTUAL_HARNESS
constexpr cudaError_t kOfLaunch[] = {cudaErrorInvalidConfiguration};
#else
constexpr cudaError_t kOfLaunch[] = {cudaErrorInvalidConfiguration, cudaErrorInvalidValue,
                                     cudaErrorLaunchOutOfResources};
#endif

/// 0: success. 1: an error of a launch whose blocks are impossible. 2: any other error.
int kind_of(cudaError_t error) {
  if (error == cudaSuccess) return 0;
  for (const cudaError_t possible : kOfLaunch)
    if (error == possible) return 1;
  return 2;
}

}  // namespace

Answer call_saxpy(const Functions& functions, Job& job, Link& link) {
  // The factor is an array of one element in host memory.
  if (job.entry != "saxpy_in_blocks")  // saxpy_from_host has the signature of saxpy
    return run_calls(functions, job, link, [&](const Arrays& arrays) {
      arrays.function<decltype(::saxpy)>()(arrays.scalar("n"), *arrays.input(2), arrays.input(0),
                                           arrays.output(0));
    });
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const cudaError_t error =
        arrays.function<decltype(::saxpy_in_blocks)>()(arrays.scalar("n"), *arrays.input(2), arrays.input(0),
                                                       arrays.output(0), arrays.scalar("block_threads"));
    *arrays.output<int>(1) = kind_of(error);
  });
}

}  // namespace grader::harness
