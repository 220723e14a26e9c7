// Watched programs: their memory instructions tell the block's checker what they access before they run. The
// watching handler takes the place of the instruction's own when the program is decoded, so that programs
// that nobody checks pay nothing.
#pragma once

#include <cstdint>

#include "vgpu/decode/operands.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// Puts the program's last instruction, decoded from `instruction`, under watch if it accesses shared or
/// global memory. `is_guess`: see cas_guesses.hpp.
void observe(Program& program, const ptx::Instruction& instruction, const Operands& operands, bool is_guess);

/// The same for an access that is a step of an instruction; fills in what the program's last instruction
/// says.
void observe(Program& program, AccessSite site);

}  // namespace vgpu::exec
