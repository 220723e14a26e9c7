// Where the variables of a kernel lie: parameters, shared and local memory. Sizes come from untrusted text;
// everything is clamped to 2^40 so that sums cannot overflow, and judged against the device's limits at
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
  std::unordered_map<std::string, std::uint64_t> offsets;  ///< by name, bytes
  std::vector<std::uint64_t> starts;                       ///< in order of declaration
  std::uint64_t bytes = 0;
};

/// Parameters one after another, each at its alignment.
Layout lay_out(const std::vector<ptx::Variable>& variables);

/// What a function keeps in local memory: its results and parameters, unless it is a kernel, then .local
/// variables and the .param variables of calls.
Layout frame_layout(const ptx::Function& function);

/// What the special registers %reserved_smem_… speak of: a variable behind the static ones, in kernels that
/// ask.
inline constexpr std::string_view kReservedMemory = "reserved_smem";
inline constexpr std::uint64_t kReservedBytes = 1024;

/// Static shared variables that the functions declare or name; dynamic ones (extern) come behind them.
/// Functions that declare the same name mean the same variable.
Layout shared_layout(const ptx::Module& module, std::span<const ptx::Function> functions);

struct PlacedVariable {
  std::string name;
  std::uint64_t start = 0;
};

/// The program's own variables by start, then by name.
std::vector<PlacedVariable> by_start(const Layout& layout);
/// Of what by_start() gave: the last one that begins at `offset` or before; nullptr if there is none.
const PlacedVariable* variable_at(std::span<const PlacedVariable> variables, std::uint64_t offset);

/// Names of all symbols that the function's instructions use.
std::vector<std::string> used_symbols(const ptx::Function& function);
/// The same, but for what calls call.
std::vector<std::string> used_as_values(const ptx::Function& function);

}  // namespace vgpu::exec
