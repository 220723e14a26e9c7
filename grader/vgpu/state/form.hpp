// An instruction's form: its spelling without operands ("fma.rn.f32"), the handler that runs it, and how its
// operands are decoded. handlers/forms.hpp has the table of all forms.
#pragma once

#include <array>
#include <cstdint>
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

/// Decoded::option of Shape::memory_barrier.
inline constexpr std::uint8_t kWideAddress = 1;  ///< the address register has 64 bits
inline constexpr std::uint8_t kGenericAddress =
    2;  ///< the address is generic, not an offset in shared memory

/// Decoded::option: the predicate operand was written !%p.
inline constexpr std::uint8_t kNegatedOperand = 0x80;

using FormTable = std::unordered_map<std::string, Form>;

}  // namespace vgpu::exec
