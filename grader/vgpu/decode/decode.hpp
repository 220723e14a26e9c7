// From a parsed kernel to a program for warps: looks every instruction up in the table of forms, places its
// operands, and marks where diverged lanes meet again.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "vgpu/ptx/module.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// Whether accesses are recorded for the device's caches.
enum class Tracing : std::uint8_t { off, on };

/// Whether memory instructions report their accesses to a checker (checked_accesses.hpp).
enum class Watching : std::uint8_t { off, on };

/// The addresses of a module's symbols, by name.
struct ModuleAddresses {
  std::unordered_map<std::string, std::uint64_t> variables;  ///< .global and .const
  std::unordered_map<std::string, std::uint64_t> functions;  ///< see callable_address()
  std::uint64_t callables_start = 0;
};

/// Never fails: Program::unsupported names an instruction that cannot run.
Program decode(const ptx::Module& module, const ptx::Function& kernel, const ModuleAddresses& addresses,
               Tracing tracing, Watching watching);

}  // namespace vgpu::exec
