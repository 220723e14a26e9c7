// The name of an instruction in the table of forms. It omits modifiers that make no difference here (cache
// hints, memory order and scope, .aligned).
#pragma once

#include <string>
#include <string_view>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// "ld.volatile.global.nc.f32" gives "ld.global.f32", "ldu" gives "ld", and min and max of three inputs end
/// in ".3".
std::string table_name(const ptx::Instruction& instruction);

bool has_modifier(const ptx::Instruction& instruction, std::string_view modifier);

/// True if the access must see the writes of other blocks, or make its own write visible to them: .volatile,
/// .relaxed, .acquire, …
bool is_strong(const ptx::Instruction& instruction);

/// The state space that the modifiers name; generic if they name none.
ptx::Space space_of(const ptx::Instruction& instruction);

/// The last modifier that is a type; Type::none if no modifier is one.
ptx::Type type_of(const ptx::Instruction& instruction);

/// %clock, %clock64, %globaltimer, or a half of one.
bool is_clock(const ptx::SpecialRegister& reg);
/// mov from a clock. The compiler keeps the order of such instructions.
bool reads_clock(const ptx::Instruction& instruction);

}  // namespace vgpu::exec
