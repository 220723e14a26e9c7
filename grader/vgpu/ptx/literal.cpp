#include "vgpu/ptx/literal.hpp"

#include <bit>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

template <class T, class... Format>
T converted(const Token& number, std::string_view digits, Format... format) {
  T value{};
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, format...);
  if (error == std::errc::result_out_of_range) {
    fail(number.line, fmt::format("the number {} does not fit in 64 bits", shown(number)));
  }
  if (error != std::errc{} || stop != end) {
    fail(number.line, fmt::format("{} is not a number", shown(number)));
  }
  return value;
}

Immediate exact_float(const Token& number) {
  // 0f and 8 or 0d and 16 hexadecimal digits are the bits of the number (PTX ISA, "Floating-Point
  // Constants").
  const bool single = number.text[1] == 'f' || number.text[1] == 'F';
  const std::size_t digits = single ? 8 : 16;
  if (number.text.size() != 2 + digits) {
    fail(number.line, fmt::format("{} has {} digits when it should have {}", shown(number),
                                  number.text.size() - 2, digits));
  }
  const auto bits = converted<std::uint64_t>(number, number.text.substr(2), 16);
  return {bits, single ? Type::f32 : Type::f64};
}

bool has_prefix(std::string_view text, char lower_case) {
  return text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == lower_case;
}

Immediate integer(const Token& number) {
  std::string_view digits = number.text;
  const bool is_unsigned = digits.ends_with('U') || digits.ends_with('u');
  if (is_unsigned) digits.remove_suffix(1);
  const bool hexadecimal = has_prefix(digits, 'x');
  const bool binary = has_prefix(digits, 'b');
  if (hexadecimal || binary) digits.remove_prefix(2);
  const bool octal = !hexadecimal && !binary && digits.size() > 1 && digits[0] == '0';
  const int base = hexadecimal ? 16 : binary ? 2 : octal ? 8 : 10;
  const auto bits = converted<std::uint64_t>(number, digits, base);
  // Without U, a constant that does not fit .s64 is .u64 (PTX ISA, "Integer Constants").
  return {bits, is_unsigned || bits >= kSignBit ? Type::u64 : Type::s64};
}

}  // namespace

Immediate literal(const Token& number) {
  if (number.kind == TokenKind::integer) return integer(number);
  if (has_prefix(number.text, 'f') || has_prefix(number.text, 'd')) return exact_float(number);
  return {std::bit_cast<std::uint64_t>(converted<double>(number, number.text)), Type::f64};
}

Immediate negative_literal(const Token& number) {
  const Immediate value = literal(number);
  if (value.type == Type::f32) return {value.bits ^ 0x8000'0000U, Type::f32};
  if (value.type == Type::f64) return {value.bits ^ kSignBit, Type::f64};
  const bool fits = number.text.ends_with('U') || value.bits <= kSignBit;
  if (!fits) fail(number.line, fmt::format("the number -{} does not fit in 64 bits", number.text));
  return {std::uint64_t{0} - value.bits, value.bits == kSignBit ? Type::s64 : value.type};
}

std::uint64_t stored_bits(const Immediate& value, Type type) {
  const bool from_single = value.type == Type::f32;
  if (!from_single && value.type != Type::f64) return value.bits;
  const double number = from_single ? std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))
                                    : std::bit_cast<double>(value.bits);
  if (type == Type::f32 && !from_single) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == Type::f64 && from_single) return std::bit_cast<std::uint64_t>(number);
  return value.bits;
}

}  // namespace vgpu::ptx
