// What ptxas noted in the machine code of a fat binary. Only the registers are of interest: the virtual GPU
// runs the PTX, but how many blocks fit on a multiprocessor depends on what ptxas made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace vgpu::ptx {

/// Registers a thread by mangled name of the kernel, of the member with the highest architecture. Empty for
/// PTX text, without machine code and for damaged files.
std::map<std::string, std::uint32_t> register_counts(std::span<const std::byte> image);

}  // namespace vgpu::ptx
