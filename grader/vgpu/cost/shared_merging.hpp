// The loads and stores of adjacent words of shared memory that the assembler merges into one access of 8 or
// 16 bytes: those of one basic block that use the same base register, without a store, barrier or call in
// between (for stores: without another access), if the code shows that the wide address is aligned. Covered
// by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By index of the instruction: bytes of the wide access that it becomes; 0 if it becomes a part of another
/// instruction's access. Instructions that are not merged have no entry.
std::unordered_map<std::uint32_t, std::uint8_t> merged_accesses(const ptx::Function& function,
                                                                const ptx::ControlFlow& flow,
                                                                const Layout& shared);

}  // namespace vgpu::exec
