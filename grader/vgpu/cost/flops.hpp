// The number of floating-point operations that an instruction counts as.
#pragma once

#include <cstdint>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Per thread: a fused multiply-add counts as 2, and an addition, multiplication, division, reciprocal or
/// square root as 1, for each element of packed operands. A product of matrices counts as 2 m n k, shared
/// equally by 32 threads. Comparisons, conversions, minima, approximate functions and atomics count as 0.
std::uint16_t flops_of(const ptx::Instruction& instruction);

}  // namespace vgpu::exec
