// Small kernels for the instruction fuzzer, in a representation of their own: a generator creates them,
// `ptx_body` writes them as PTX for an engine, and `interpret` runs them lane by lane. All three are
// deterministic.
//
// A kernel gets two addresses: of the input records and of the output records. Each thread has one record of
// each, with a slot of 8 bytes per register. The kernel loads all its registers, runs its steps, and stores
// all its registers and the thread's pieces of memory.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "form.hpp"
#include "random.hpp"

namespace fuzz {

inline constexpr int kLanes = 32;
inline constexpr int kThreads = 64;        ///< threads per kernel, in one block
inline constexpr std::size_t kSlot = 8;    ///< bytes
inline constexpr std::size_t kPiece = 64;  ///< bytes of memory per thread in each space
inline constexpr std::array<const char*, 3> kSpaces{"global", "shared", "local"};

struct Operand {
  bool is_immediate = false;
  Bits bits = 0;          ///< value of an immediate
  std::size_t index = 0;  ///< otherwise, number of a register
};

/// The groups of lanes of a warp that take part in a warp instruction together.
struct Tiling {
  enum class Kind {
    whole,   ///< all active ones
    blocks,  ///< active ones among `count` adjacent lanes, like a tile of cooperative groups
    strided  ///< active ones with the same number modulo `count`
  };
  Kind kind = Kind::whole;
  int count = kLanes;  ///< a power of two

  /// Lanes with the same number take part together.
  int tile_of(int lane) const { return kind == Kind::strided ? lane % count : lane / count; }
};

struct Step {
  enum class What {
    compute,  ///< destination = form(operands)
    branch,   ///< if (guard) body else otherwise
    loop,     ///< body; iterations: the low three bits of operands[0]
    load,     ///< elements = memory at operands[0]
    store,    ///< memory at operands[0] = elements
    atomic,   ///< destination = old value; operands: address, b, c
    shuffle,  ///< destination = operands[0] of the lane given by operands[1] and the mode
    vote,     ///< destination = result of the tile's vote on operands[0]
    match,    ///< destination = the lanes of the tile with the same operands[0]
    reduce    ///< destination = operands[0] of all lanes of the tile combined
  };
  What what = What::compute;
  const Form* form = nullptr;
  std::size_t destination = 0;
  std::vector<Operand> operands;
  bool has_guard = false, guard_negated = false;
  std::size_t guard = 0;

  std::vector<Step> body, otherwise;

  std::string mode;  ///< "add.u32" of an atomic, "bfly" of a shuffle, "ballot" of a vote, "s16" of a load
  std::size_t space = 0;              ///< in kSpaces
  bool is_generic = false;            ///< through a generic address
  std::size_t element_bytes = 0;      ///< of memory accesses
  std::vector<std::size_t> elements;  ///< registers
  Tiling tiling;                      ///< of warp instructions
};

struct Program {
  std::vector<Kind> registers;
  std::vector<Step> steps;
  bool uses_memory = false;

  std::size_t input_slots() const { return registers.size(); }
  /// The offset of memory in an output record, aligned for the widest accesses.
  std::size_t memory_slot() const {
    return (registers.size() * kSlot + kPiece - 1) / kPiece * kPiece / kSlot;
  }
  std::size_t output_slots() const {
    return uses_memory ? memory_slot() + kSpaces.size() * kPiece / kSlot : registers.size();
  }
};

/// The statements between the braces of a kernel; `in` and `out` are the operands for the two addresses
/// ("%0").
std::string ptx_body(const Program& program, const std::string& in, const std::string& out);

using Record = std::vector<Bits>;

/// Inputs and outputs have one record per thread.
std::vector<Record> interpret(const Program& program, const std::vector<Record>& inputs);

/// Many instructions of different forms, each on registers of its own, so that a mismatch names the form. The
/// inputs of thread t are operands of all instructions; the manual defines the results for all of them.
struct Sheet {
  Program program;
  std::vector<const Form*> forms;  ///< the result of form i is in results[i]
  std::vector<std::size_t> results;
};
inline constexpr std::size_t kFormsPerSheet = 16;
std::vector<Sheet> all_sheets();
std::vector<Record> sheet_inputs(const Sheet& sheet, std::uint64_t seed);

/// A random kernel: arithmetic, branches and loops that diverge, memory of all widths, warp instructions.
Program random_program(std::uint64_t seed);
std::vector<Record> random_inputs(const Program& program, std::uint64_t seed);

/// The first slot in which the outputs differ, with all NaNs equal: "thread 3 %f2: 7fffffff instead of
/// 3f800000". Empty if no slot differs.
std::string first_difference(const Program& program, const std::vector<Record>& outputs,
                             const std::vector<Record>& expected);

/// One line for each form whose results differ, with the operands of the first such thread.
std::vector<std::string> differences(const Sheet& sheet, const std::vector<Record>& inputs,
                                     const std::vector<Record>& outputs, const std::vector<Record>& expected);

std::string register_name(const Program& program, std::size_t index);

}  // namespace fuzz
