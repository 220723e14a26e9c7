// The functions of NVIDIA's libdevice that clang leaves as calls without a CUDA toolkit, such as __nv_expf.
// The host's mathematics library computes them in double precision; float results are rounded once. No
// hardware is more exact, and results do not depend on the machine.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu::exec {

struct MathFunction {
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  bool is_float = false;  ///< arguments and result have 4 bytes, not 8

  std::size_t arity() const { return unary != nullptr ? 1 : 2; }
};

/// By libdevice's name; nullptr if unknown.
const MathFunction* math_function(const std::string& name);

/// The number that represents a function in a list of operands.
std::uint32_t math_function_index(const MathFunction& function);
const MathFunction& math_function_at(std::uint32_t index);

}  // namespace vgpu::exec
