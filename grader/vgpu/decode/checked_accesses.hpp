// Watched programs: their memory instructions report each access to the block's checker before they run. In a
// watched program the decoder replaces an instruction's handler by one that reports and then calls it, so
// unwatched programs have no overhead.
#pragma once

#include <cstdint>

#include "vgpu/decode/operands.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// Replaces the handler of the program's last instruction, decoded from `instruction`, if it accesses shared
/// or global memory. `is_guess`: see cas_guesses.hpp.
void observe(Program& program, const ptx::Instruction& instruction, const Operands& operands, bool is_guess);

/// As above, for an access that is one step of an instruction. Sets the members of `site` that follow from
/// the program's last instruction.
void observe(Program& program, AccessSite site);

}  // namespace vgpu::exec
