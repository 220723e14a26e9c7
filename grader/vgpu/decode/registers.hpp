// Where registers lie in a warp's register file, how many a thread needs, and which instructions compute for
// nobody. Compiled PTX gives every value a register of its own; values that never live at the same time share
// a place here (linear scan), so that the file of a running warp stays in the nearest cache.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vgpu/decode/operands.hpp"
#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Bytes: vectors of lanes start at multiples of it in the register file.
inline constexpr std::uint32_t kVectorAlignment = 64;

struct RegisterUse {
  RegisterPlaces places;
  std::vector<RegisterPlace> cleared;      ///< places that may be read before they are written
  std::vector<bool> result_needed;         ///< by instruction; true where in doubt
  std::uint32_t registers_per_thread = 0;  ///< 32-bit places that linear scan needed, predicates apart
  /// By instruction: what is live behind a call. For functions that can be active more than once, so not for
  /// kernels. Incomplete if `too_many_saved`.
  std::unordered_map<std::uint32_t, std::vector<RegisterPlace>> live_behind_call;
  std::size_t saved_count = 0;
  bool too_many_saved = false;
};

/// The function's places begin at `start` in the file, a multiple of 64 bytes.
RegisterUse analyse_registers(const ptx::Function& function, const ptx::ControlFlow& flow,
                              std::uint32_t start);

}  // namespace vgpu::exec
