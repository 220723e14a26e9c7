// The opcodes of PTX (PTX ISA, chapter 9) and their properties. opcodes.def has one row for each opcode: a
// new instruction is added there, and all rooms read its properties from there. Covered by
// tests/ptx/opcode_test.cpp; tests/vgpu/forms_test.cpp checks that every form has an opcode of the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vgpu::ptx {

enum class Opcode : std::uint8_t {
  unknown,  ///< not in the table; Instruction::unknown_opcode has its spelling
#define OPCODE(name, ...) name,
#include "vgpu/ptx/opcodes.def"
#undef OPCODE
};

/// What an instruction does in addition to computing or accessing memory.
enum class Role : std::uint8_t {
  compute,  ///< nothing else
  branch,
  indexed_branch,
  call,
  leave,  ///< ends the function or the thread
  trap,
  barrier,  ///< of the block, of the cluster or of a warp, by its modifiers
  fence,
  pause,
  hint  ///< has no effect on the virtual GPU
};

/// How an instruction accesses memory. wmma is not among them: its first modifier decides (matrix_forms.hpp).
enum class Access : std::uint8_t {
  none,
  load,
  store,
  atomic,     ///< returns the old value
  reduction,  ///< an atomic operation that returns nothing
  async_copy,
  barrier_object,  ///< an mbarrier, a word of shared memory
  texture_fetch,
  surface_load,
  surface_store,
  matrix_load,
  matrix_store,
  prefetch
};

/// What executes an instruction as machine code (cost/machine_work.cpp derives issue slots and a Pipe).
enum class Unit : std::uint8_t {
  arithmetic,  ///< lanes for integers, f32 or f64, by the type
  none,        ///< the instruction vanishes
  logic,       ///< vanishes on predicates; else arithmetic
  conversion,
  quotient,
  special_function,
  bit_search,
  exchange,  ///< between the lanes of a warp
  memory,
  texture,  ///< memory through the texture unit
  matrix,
  issue  ///< an issue slot only
};

/// The latency that the result of an instruction incurs (cost/machine_work.cpp derives a Wait).
enum class Latency : std::uint8_t {
  unit,  ///< that of the unit
  load,
  atomic,
  copy,  ///< of cp.async: waiting for the copies
  exchange,
  matrix,
  barrier
};

/// The defaults hold for unknown opcodes.
struct OpcodeTraits {
  std::string_view spelling;
  Unit unit = Unit::arithmetic;
  Latency latency = Latency::unit;
  Role role = Role::compute;
  Access access = Access::none;
  bool has_destination = true;    ///< the first operand is written unless it is an address; see uses_of()
  bool is_collective = false;     ///< several threads execute it together or wait for each other there
  bool needs_branch = false;      ///< keeps the branch around it from becoming a predicate in machine code
  bool orders_accesses = false;   ///< machine code moves no access to shared memory across it
  bool moves_bytes = false;       ///< the result consists of the operands' bytes
  bool keeps_uniformity = false;  ///< the result is the same in all threads if the operands are
  std::uint8_t flops = 0;  ///< floating-point operations per value, if the type is a floating-point type
};

/// "and" of the row's name "and_".
constexpr std::string_view spelling_of_row(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

/// By the value of Opcode.
inline constexpr std::array kOpcodes{
    OpcodeTraits{},
#define OPCODE(name, ...) OpcodeTraits{.spelling = spelling_of_row(#name), __VA_ARGS__},
#include "vgpu/ptx/opcodes.def"
#undef OPCODE
};

constexpr const OpcodeTraits& traits_of(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }

/// Opcode::unknown if the table has no such row.
Opcode opcode_named(std::string_view spelling);

}  // namespace vgpu::ptx
