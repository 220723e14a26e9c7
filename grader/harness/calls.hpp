// Calls a student's function as a job requires: sets up arrays, times the calls, and returns the outputs.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/job.hpp"
#include "harness/link.hpp"

namespace grader::harness {

/// A runtime call that failed; its text becomes Answer::problem.
struct RuntimeFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws RuntimeFailure: "cudaMalloc: cudaErrorMemoryAllocation (out of memory)".
void require(cudaError_t error, const char* call);

/// The addresses of the student's functions, by name. nullptr: the file does not define the function.
using Functions = std::map<std::string, void*>;

/// The function of a call and its arguments: arrays in the memory that the job names and in its order, and
/// scalars.
struct Arrays {
  std::vector<void*> inputs, outputs;
  const Scalars* scalars = nullptr;
  void* address = nullptr;  ///< of the student's function

  /// arrays.function<decltype(::saxpy)>() for any function of the workload with the signature of saxpy.
  template <class Function>
  Function* function() const {
    return reinterpret_cast<Function*>(address);
  }
  /// T is the type of the array's elements as the job has it: float or int.
  template <class T = float>
  T* input(std::size_t index) const {
    return static_cast<T*>(inputs.at(index));
  }
  template <class T = float>
  T* output(std::size_t index) const {
    return static_cast<T*>(outputs.at(index));
  }
  /// It fits an int.
  int scalar(const char* name) const { return static_cast<int>(scalars->at(name)); }
};

/// Calls the function once, after the job's earlier calls, or as often as the grader requests. Before every
/// call the inputs are written anew, and the outputs get their starting values or poison, so that
/// a result of an earlier call cannot pass for one of this call: the words of vgpu/state/unwritten.hpp, or,
/// in the memory of a real GPU, words with all bits set. No integer output may be one of them. On the virtual
/// GPU, outputs in device memory are unwritten memory. If there is only one call, the job's input values are
/// deleted before it: no copy of inputs in device memory remains in host memory. Earlier calls of functions
/// that the file does not define are left out.
Answer run_calls(const Functions& functions, Job& job, Link& link,
                 const std::function<void(const Arrays&)>& call);

}  // namespace grader::harness
