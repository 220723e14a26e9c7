// Calls a student's function as a job asks: arrays in device memory, warm-ups, timed calls, outputs back.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/job.hpp"
#include "harness/link.hpp"

namespace grader::harness {

/// A runtime call that did not succeed; becomes Answer::problem.
struct RuntimeFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws RuntimeFailure: "cudaMalloc: cudaErrorMemoryAllocation (out of memory)".
void require(cudaError_t error, const char* call);

/// In the order of the job.
struct DeviceArrays {
  std::vector<float*> inputs, outputs;
};

/// Before every call, warm-ups too, the inputs are uploaded anew and the outputs are poisoned with 0xFF bytes
/// (a NaN), so that no result of an earlier call can pass for one of this call.
Answer run_calls(const Job& job, Link& link, const std::function<void(const DeviceArrays&)>& call);

}  // namespace grader::harness
