// The spelled form under which the table of forms knows an instruction: modifiers that make no difference
// here (cache hints, memory order and scope, .aligned) are left out.
#pragma once

#include <string>
#include <string_view>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// "ld.volatile.global.nc.f32" gives "ld.global.f32", "ldu" gives "ld", and min and max of three inputs end
/// in ".3".
std::string table_name(const ptx::Instruction& instruction);

bool has_modifier(const ptx::Instruction& instruction, std::string_view modifier);

/// The access must see what other blocks wrote, or show them what it wrote: .volatile, .relaxed, .acquire, …
bool is_strong(const ptx::Instruction& instruction);

/// The state space that the modifiers name; generic if none.
ptx::Space space_of(const ptx::Instruction& instruction);

/// The last modifier as a type; none if it is not one.
ptx::Type type_of(const ptx::Instruction& instruction);

}  // namespace vgpu::exec
