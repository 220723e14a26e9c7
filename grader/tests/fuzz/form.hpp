// The results of PTX instructions, one lane at a time: a direct implementation of the PTX ISA manual's
// pseudocode, written independently of the virtual GPU and sharing no code with it. The instruction fuzzer
// compares every engine with it. Plain C++20 without libraries, so that it builds on a machine with only a
// GPU and a compiler.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace fuzz {

/// A value of any type; the bits above the type's are zero.
using Bits = std::uint64_t;

/// The type of a register: 'h' 16 bits, 'r' 32 bits, 'l' 64 bits, 'f' float, 'd' double, 'p' predicate.
using Kind = char;

/// One form whose result the manual specifies exactly, except for NaN payloads.
struct Form {
  std::string name;   ///< "add.s32"
  std::string kinds;  ///< of the destination, then of each operand: "rrr"
  std::function<Bits(const Bits*)> result;
  /// True if the manual defines the result for these operands; empty: it is defined for all.
  std::function<bool(const Bits*)> is_defined{};
  /// True if the result depends on a NaN's sign or payload, which differ by engine; not for random programs.
  bool shows_nan_bits = false;
};

/// All forms, in a fixed order within a version.
const std::vector<Form>& forms();

void add_integer_forms(std::vector<Form>& forms);
void add_bit_forms(std::vector<Form>& forms);
void add_float_forms(std::vector<Form>& forms);
void add_compare_forms(std::vector<Form>& forms);
void add_convert_forms(std::vector<Form>& forms);

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return 'p';
  if constexpr (std::is_same_v<T, float>) return 'f';
  if constexpr (std::is_same_v<T, double>) return 'd';
  return sizeof(T) == 8 ? 'l' : sizeof(T) == 2 ? 'h' : 'r';
}

template <class T>
T from_bits(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A result fills its register: 8-bit results are sign- or zero-extended according to their type.
template <class T>
Bits to_bits(T value) {
  if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>)
    return static_cast<std::uint32_t>(std::int32_t{value});
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// Appends the form that computes `function` of operands A…; function's types are the instruction's.
template <class R, class... A, class Function>
Form& add(std::vector<Form>& forms, const std::string& name, Function function) {
  Form form{name, {kind_of<R>(), kind_of<A>()...}, {}};
  form.result = [function](const Bits* operands) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return to_bits(static_cast<R>(function(from_bits<A>(operands[I])...)));
    }
    (std::index_sequence_for<A...>{});
  };
  forms.push_back(std::move(form));
  return forms.back();
}

template <class T>
std::string type_name() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "f64" : "f32";
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

}  // namespace fuzz
