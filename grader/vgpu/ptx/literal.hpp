// The values of numbers in PTX text (PTX ISA, section 4.5 "Constants").
#pragma once

#include "vgpu/ptx/lexer.hpp"

namespace vgpu::ptx {

/// Integers: decimal, 0x, 0b, octal with a leading 0, suffix U; s64, or u64 if the value requires it or the
/// suffix is present. Floating: 0f and 8 hexadecimal digits (f32), 0d and 16 (f64), decimal (f64). Throws
/// Failure for anything else.
Immediate literal(const Token& number);

/// `-number`, where `number` is the token.
Immediate negative_literal(const Token& number);

/// The value as `type` stores it in memory: rounded for floating types, truncated for integers.
std::uint64_t stored_bits(const Immediate& value, Type type);

}  // namespace vgpu::ptx
