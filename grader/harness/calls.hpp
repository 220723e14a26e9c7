// Calls a student's function as a job asks: arrays in device memory, calls and their times, outputs back.
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

/// The job's arrays where the job wants them, in its order.
struct Arrays {
  std::vector<void*> inputs, outputs;

  /// T is what the job calls the array's element: float, or int.
  template <class T = float>
  T* input(std::size_t index) const {
    return static_cast<T*>(inputs.at(index));
  }
  template <class T = float>
  T* output(std::size_t index) const {
    return static_cast<T*>(outputs.at(index));
  }
};

/// The job's scalar of that name; it fits an int.
int scalar(const Job& job, const char* name);

/// Calls the function once, or as often as the grader asks. Before every call the inputs are written anew and
/// the outputs get what they start as or are poisoned with 0xFF bytes (a NaN; -1, which no integer output may
/// be), so that no result of an earlier call can pass for one of this call. Before the only call the job's
/// input values are forgotten: what lies in device memory is then nowhere in the host's.
Answer run_calls(Job& job, Link& link, const std::function<void(const Arrays&)>& call);

}  // namespace grader::harness
