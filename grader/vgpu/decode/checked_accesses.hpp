// Watched programs: their memory instructions report each access to the block's checker before they run. In a
// watched program the decoder replaces an instruction's handler by one that reports and then calls it, so
// unwatched programs have no overhead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vgpu/analysis/speculated_loads.hpp"
#include "vgpu/decode/operands.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// What analysis found out about an access.
struct AccessFacts {
  bool is_guess = false;         ///< cas_guesses.hpp
  std::string shared_base = {};  ///< shared_bases.hpp
  std::optional<Readers> readers = {};
};

/// Replaces the handler of the program's last instruction, decoded from `instruction`, if it accesses shared
/// or global memory.
void observe(Program& program, const ptx::Instruction& instruction, const Operands& operands,
             const AccessFacts& facts);

/// As above, for an access that is one step of an instruction. Sets the members of `site` that follow from
/// the program's last instruction.
void observe(Program& program, AccessSite site);

}  // namespace vgpu::exec
