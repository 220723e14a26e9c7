// Calls of functions become the callee's code, with registers, labels and local variables of its own, and the
// .param variables of the call as local memory: most programs then run without any call. What remains are
// calls of functions that recur, calls through pointers, functions that the device provides
// (device_functions.hpp), and whatever would make the code too long. Those happen at run time (calls.hpp).
#pragma once

#include <string>

#include "base/expected.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

struct CallProblem {
  ptx::Instruction call;
  std::string detail;  ///< continues "call.uni …": "passes another number of values than f takes"
};

/// `function` is a kernel or not; in a function that is none, parameters and results keep their names.
grader::Expected<ptx::Function, CallProblem> inline_calls(const ptx::Module& module,
                                                          const ptx::Function& function);

}  // namespace vgpu::exec
