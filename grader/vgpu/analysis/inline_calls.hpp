// Inlining: the callee's code replaces a call. The copy has its own registers, labels and local variables,
// and the .param variables of the call become local memory. Most programs then run without any call. The
// remaining calls are executed at run time (calls.hpp): calls of recursive functions, calls through pointers,
// calls of functions that the device provides (device_functions.hpp), and calls whose inlining would make the
// code too long.
#pragma once

#include <string>

#include "base/expected.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

struct CallProblem {
  ptx::Instruction call;
  std::string detail;  ///< continues "call.uni …": "passes a different number of values than f takes"
};

/// `function` can be a kernel or another function, whose parameters and results keep their names.
grader::Expected<ptx::Function, CallProblem> inline_calls(const ptx::Module& module,
                                                          const ptx::Function& function);

}  // namespace vgpu::exec
