// Loops that the assembler unrolls further than the compiler did. ptxas's rules are not published. This rule
// describes what ptxas 13.0 does with the loops of grader/validate for sm_90, as their machine code shows: a
// loop without branches, textures and barriers, whose counter changes by a constant, is repeated four times
// and followed by a loop for the rest, unless the compiler forbids it (.pragma "nounroll", in loops for the
// rest of an unrolled loop). Loops with a step that is known only when they run (a stride of the whole grid)
// and large bodies stay as they are. Covered by tests/vgpu/machine_work_test.cpp.
#pragma once

#include <cstdint>

#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

inline constexpr std::uint8_t kUnrolling = 4;  ///< iterations of the loop in PTX for one of the machine code

/// Registers of 32 bits for values of global loads that are under way at the same time in an unrolled loop.
/// ptxas lets unrolling use no more than 32 registers, with which an SM is full of warps; the rest holds
/// addresses and sums.
inline constexpr unsigned kRegistersOfLoads = 16;

/// True if instructions [begin, end), between which no other branch begins or ends, are such a loop.
bool is_unrolled(const ptx::Function& function, const ptx::ControlFlow& flow, std::uint32_t begin,
                 std::uint32_t end);

}  // namespace vgpu::exec
