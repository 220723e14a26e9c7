// What the code itself shows of the alignment of addresses: how many low bits of a register are zero,
// whatever the inputs. A forward analysis over all definitions of each register; loops are followed to a
// fixed point.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By register: low bits that are always zero. `shared` says where shared variables lie.
std::vector<std::uint8_t> known_zero_bits(const ptx::Function& function, const Layout& shared);

/// Of the address of a shared variable; 0 if it is none.
std::uint8_t zero_bits_of_shared(const std::string& name, const Layout& shared);

}  // namespace vgpu::exec
