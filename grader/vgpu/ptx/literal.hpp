// The value of a number as PTX spells it (PTX ISA, section 4.5 "Constants").
#pragma once

#include "vgpu/ptx/lexer.hpp"

namespace vgpu::ptx {

/// Integers: decimal, 0x, 0b, octal with a leading 0, suffix U; s64 unless they need u64 or have the suffix.
/// Floating: 0f and 8 hexadecimal digits (f32), 0d and 16 (f64), decimal (f64). Throws Failure for the rest.
Immediate literal(const Token& number);

/// `-number`, where `number` came from the token.
Immediate negative_literal(const Token& number);

/// The value as `type` stores it in memory: rounded for floating types, cut to size for integers.
std::uint64_t stored_bits(const Immediate& value, Type type);

}  // namespace vgpu::ptx
