// The places of registers in a warp's register file, the number of registers that a thread needs, and the
// instructions whose results are never read. Compiled PTX gives each value its own register. Values that
// never live at the same time share a place here (linear scan), so that the file of a running warp fits the
// nearest cache.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/decode/operands.hpp"
#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Vectors of lanes start at multiples of this many bytes in the register file.
inline constexpr std::uint32_t kVectorAlignment = 64;

struct RegisterUse {
  RegisterPlaces places;
  std::vector<RegisterPlace> unwritten;  ///< places that can be read before they are written
  /// Registers that a kernel reads on a path from its start on which nothing writes them.
  struct Unset {
    RegisterPlace place;
    std::uint32_t instruction = 0;  ///< the first in the text that reads the register
  };
  std::vector<Unset> unset;
  std::vector<bool> result_needed;         ///< by instruction; true if not known
  std::uint32_t registers_per_thread = 0;  ///< 32-bit places that linear scan needed, without predicates
  /// Words of 32 bits that a loop hands from one pass to the next and changes, of the loop with most of them,
  /// without wider values such as addresses: machine code needs a register for each of them, however it
  /// arranges the rest. 0: few.
  std::uint32_t carried_words = 0;
  /// By instruction: the live places after a call. For functions that can be active more than once, so not
  /// for kernels. Incomplete if `too_many_saved`.
  std::unordered_map<std::uint32_t, std::vector<RegisterPlace>> live_after_call;
  std::size_t saved_count = 0;
  bool too_many_saved = false;
};

/// `start`: where the function's places begin in the file; a multiple of kVectorAlignment.
RegisterUse analyse_registers(const ptx::Function& function, const ptx::ControlFlow& flow,
                              std::uint32_t start);

}  // namespace vgpu::exec
