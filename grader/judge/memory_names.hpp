// The names that all messages use for memory that a kernel accessed incorrectly.
#pragma once

#include <string>

#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// "allocation 62 (1200 bytes)", "`table` (64 bytes)", "managed memory (4096 bytes)". The fault must have
/// a `nearest` in global memory.
std::string memory_name(const vgpu::Fault& fault, const vgpu::cudart::MemoryNames& memory);

/// The fault is in memory from malloc or new in a kernel, or in a variable without a known name.
bool is_of_device_heap(const vgpu::Fault& fault);

/// "; allocated at main.cu:12, freed at main.cu:14", as far as known.
std::string memory_history(const vgpu::Fault& fault, const vgpu::cudart::MemoryNames& memory);

/// " at main.cu:12"; " in `main`" if only the function is known.
std::string place_text(const vgpu::cudart::HostPlace& place);

}  // namespace grader
