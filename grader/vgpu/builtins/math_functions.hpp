// The functions of NVIDIA's libdevice that clang leaves as calls when no CUDA toolkit is there: __nv_expf and
// the like, answered by the host's mathematics library in double precision and rounded once for floats. No
// hardware is more exact, and results do not depend on the machine.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu::exec {

struct MathFunction {
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  bool is_float = false;  ///< takes and gives 4 bytes, not 8

  std::size_t arity() const { return unary != nullptr ? 1 : 2; }
};

/// By libdevice's name; nullptr if unknown.
const MathFunction* math_function(const std::string& name);

/// For a list of operands, where a function has to be named by a number.
std::uint32_t math_function_index(const MathFunction& function);
const MathFunction& math_function_at(std::uint32_t index);

}  // namespace vgpu::exec
