// The placement of a kernel's variables in parameter, shared and local memory. Sizes come from untrusted
// text. They are clamped to 2^40 so that sums cannot overflow, and compared with the device's limits at
// launch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

struct Layout {
  std::unordered_map<std::string, std::uint64_t> offsets;  ///< in bytes, by name
  std::vector<std::uint64_t> starts;                       ///< in order of declaration
  std::unordered_map<std::string, std::uint64_t> sizes;    ///< in bytes, by name; not of dynamic variables
  std::uint64_t bytes = 0;
};

/// Parameters one after another, each at its alignment.
Layout lay_out(const std::vector<ptx::Variable>& variables);

/// The variables that a function keeps in local memory: its results and parameters, unless it is a kernel;
/// then .local variables and the .param variables of calls.
Layout frame_layout(const ptx::Function& function);

/// The variable to which the special registers %reserved_smem_… refer. It follows the static variables in
/// kernels that read these registers.
inline constexpr std::string_view kReservedMemory = "reserved_smem";
inline constexpr std::uint64_t kReservedBytes = 1024;

/// Static shared variables that the functions declare or name; dynamic (extern) variables follow them.
/// Functions that declare the same name refer to the same variable.
Layout shared_layout(const ptx::Module& module, std::span<const ptx::Function> functions);

struct PlacedVariable {
  std::string name;
  std::uint64_t start = 0;
  std::uint64_t size_bytes = 0;  ///< 0: unknown, because the variable is dynamic
};

/// The program's own variables, sorted by start, then by name.
std::vector<PlacedVariable> by_start(const Layout& layout);
/// The last of by_start()'s variables that begins at `offset` or before; nullptr if none does.
const PlacedVariable* variable_at(std::span<const PlacedVariable> variables, std::uint64_t offset);

/// Names of all symbols that the function's instructions use.
std::vector<std::string> used_symbols(const ptx::Function& function);
/// As used_symbols(), except for the operands of calls.
std::vector<std::string> used_as_values(const ptx::Function& function);

}  // namespace vgpu::exec
