// How many floating-point operations an instruction counts for.
#pragma once

#include <cstdint>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Of one thread: a fused multiply-add is 2; addition, multiplication, division, reciprocal and square root
/// are 1; packed halves count each. A product of matrices is 2 m n k in all, of which each of 32 threads has
/// its part. Comparisons, conversions, minima, approximate functions and atomics: 0.
std::uint16_t flops_of(const ptx::Instruction& instruction);

}  // namespace vgpu::exec
