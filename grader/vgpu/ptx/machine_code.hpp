// The register counts that ptxas records in the machine code of a fat binary. The virtual GPU runs the PTX,
// but how many blocks fit on a multiprocessor depends on the machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace vgpu::ptx {

/// Registers per thread, by mangled name of the kernel, from the member with the highest architecture. Empty
/// for PTX text, without machine code, and for damaged files.
std::map<std::string, std::uint32_t> register_counts(std::span<const std::byte> image);

}  // namespace vgpu::ptx
