// The alignment of addresses as far as the code itself shows it: the number of low bits of a register that
// are zero for all inputs. A forward analysis over all definitions of each register, iterated to a fixed
// point.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By register: low bits that are always zero. `shared` has the offsets of shared variables.
std::vector<std::uint8_t> known_zero_bits(const ptx::Function& function, const Layout& shared);

/// Low zero bits of the address of a shared variable; 0 for other names.
std::uint8_t zero_bits_of_shared(const std::string& name, const Layout& shared);

}  // namespace vgpu::exec
