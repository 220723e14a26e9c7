// What the loop over instructions calls before each of them, in launches that are recorded.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

class StepRecorder {
 public:
  virtual ~StepRecorder() = default;
  virtual void begin_block(const Core& core) = 0;
  /// Called before the warp executes `d`.
  virtual void step(Warp& warp, const Decoded& d) = 0;
};

/// Lanes that execute a guarded instruction.
inline std::uint32_t executing_lanes(Warp& warp, const Decoded& d) {
  if (d.guarded == nullptr) return warp.mask;
  return warp.mask & (warp.predicate(d.guard) ^ (d.guard_negated ? kFullMask : 0));
}

}  // namespace vgpu::exec
