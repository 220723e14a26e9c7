// An instruction's form: its spelling without operands ("fma.rn.f32"), the handler that runs it, and how its
// operands are decoded. handlers/forms.hpp has the table of all forms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// The type of one lane of an operand in the register file. 8- and 16-bit values take 4 bytes per lane.
enum class Lane : std::uint8_t { none, b32, b64, f32, f64, predicate };

/// How decode.cpp reads the operands.
enum class Shape : std::uint8_t {
  lanes,               ///< d, a, b, c with the types in `operands`
  compare,             ///< d|q, a, b, c: setp
  load,                ///< d or {d, …}, [a]
  store,               ///< [a], b or {b, …}
  atomic,              ///< d, [a], b, c
  reduce,              ///< [a], b
  move,                ///< mov: any register, symbol, or a vector of halves
  lookup_and_combine,  ///< d|p, a, b, c, table, q: lop3 with a predicate
  async_copy,          ///< [to], [from], size, size of source: cp.async
  memory_barrier,      ///< d, [a], b: mbarrier
  wait_group,          ///< a number, or nothing: cp.async.wait_group
  matrix_product,      ///< {d, …}, {a, …}, {b, …}, {c, …}: mma
  warp_wide            ///< d|p, a, b, c, member mask
};

struct Form {
  Handler handler = nullptr;
  InstructionClass counted_as = InstructionClass::special;
  Shape shape = Shape::lanes;
  std::array<Lane, 5> operands{};           ///< d, a, b, c, extra; none = absent
  std::uint8_t option = 0;                  ///< copied to Decoded::option
  std::array<std::uint8_t, 4> registers{};  ///< matrix_product: least number in d, a, b, c
  // Memory forms: the handler depends on the address register's and the destination's width.
  std::array<Handler, 4> memory{};  ///< [(64-bit address) * 2 + (64-bit register)]
};

/// Decoded::option of Shape::memory_barrier and of locate_rows() (handlers/matrix_access.hpp).
struct AddressOption {
  bool is_wide = false;     ///< the address register has 64 bits
  bool is_generic = false;  ///< a generic address, not an offset in shared memory

  constexpr std::uint8_t packed() const {
    return static_cast<std::uint8_t>((is_wide ? 1U : 0U) | (is_generic ? 2U : 0U));
  }
  static constexpr AddressOption of(const Decoded& d) { return {(d.option & 1U) != 0, (d.option & 2U) != 0}; }
};

/// The bit of Decoded::option that marks a predicate operand written !%p. Handlers that have such an operand
/// keep the other bits for themselves.
inline constexpr std::uint8_t kNegatedOperand = 0x80;
/// The mask that turns the predicate register's bits into the operand's.
constexpr std::uint32_t negation_of(const Decoded& d) {
  return (d.option & kNegatedOperand) != 0 ? kFullMask : 0;
}
/// Decoded::option without the mark of a negated operand.
constexpr std::uint8_t option_without_negation(const Decoded& d) {
  return static_cast<std::uint8_t>(d.option & ~kNegatedOperand);
}

/// The parts of a spelling as one.
std::string joined(std::initializer_list<std::string_view> parts);

/// Forms by spelling. Thousands of lines fill it, so what they call is compiled out of line.
class FormTable {
 public:
  /// The form whose spelling is `parts` joined; added if absent.
  Form& operator[](std::initializer_list<std::string_view> parts);
  Form& operator[](std::string_view spelling);

  const Form* find(const std::string& spelling) const;  ///< null if absent
  std::size_t size() const { return forms_.size(); }
  auto begin() const { return forms_.begin(); }
  auto end() const { return forms_.end(); }

 private:
  std::unordered_map<std::string, Form> forms_;
};

}  // namespace vgpu::exec
