// Which loads and stores of neighbouring words of shared memory the assembler behind PTX merges into one of 8
// or 16 bytes: those of one basic block that use the same base register, with no store, barrier or call
// between (for stores: no other access), where the code shows that the wide address is aligned. Covered by
// tests/vgpu/machine_code_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By index of the instruction: bytes of the wide access that it becomes, 0 if it goes into that of another
/// one. Those that stay as they are are not there.
std::unordered_map<std::uint32_t, std::uint8_t> merged_accesses(const ptx::Function& function,
                                                                const ptx::ControlFlow& flow,
                                                                const Layout& shared);

}  // namespace vgpu::exec
