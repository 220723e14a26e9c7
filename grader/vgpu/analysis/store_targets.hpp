// The kernel parameters from whose values the addresses of a kernel's stores are computed. An allocation that
// no such parameter points to is not stored to, so that loads from it cannot race. Covered by
// tests/vgpu/store_targets_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

struct StoreTargets {
  /// False: a store's address can also come from memory or from a function that is called.
  bool are_known = false;
  /// By word of 8 bytes of lay_out(kernel.parameters), true if a store's address depends on the word.
  std::vector<bool> words;
};

/// `kernel`: with simple calls inlined. Addresses in 64-bit values that are loaded from memory are found;
/// those that a kernel assembles from halves with shifts are not (LaunchChecker reports such a store).
StoreTargets store_targets(const ptx::Function& kernel);

}  // namespace vgpu::exec
