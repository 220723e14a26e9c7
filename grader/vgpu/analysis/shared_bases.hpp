// The static shared array of which the program computes an address: `tile` for tile[row][column], whatever
// the indices are. An access outside of that array is a mistake even if another array is there.
#pragma once

#include <string_view>
#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// For each instruction of the function the shared variable to which the address of its access belongs; empty
/// if it accesses other memory, or if the code can have the address from elsewhere: from memory, a call, or
/// one of several variables. The names are those in the function. Covered by
/// tests/vgpu/shared_bases_test.cpp.
std::vector<std::string_view> shared_bases(const ptx::Function& function);

}  // namespace vgpu::exec
