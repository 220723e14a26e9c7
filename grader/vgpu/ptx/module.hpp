// The typed form of a PTX module: the parser makes it from PTX text, and `exec` decodes it into code for
// warps. Pure data, independent of how an instruction runs. The grammar is that of the PTX ISA manual,
// chapters 4 to 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expected.hpp"
#include "vgpu/ptx/opcode.hpp"

namespace vgpu::ptx {

/// Line and column count from 1; file indexes Module::files; line 0 means "no source line known".
struct SourceLine {
  std::uint16_t file = 0;
  std::uint16_t column = 0;
  std::uint32_t line = 0;

  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  f32,
  f64
};
std::size_t size_of(Type type);                         ///< bytes of one value; 0 for none and pred
std::string_view name_of(Type type);                    ///< "f32"; empty for none
std::optional<Type> type_named(std::string_view name);  ///< of "f32"

/// `surface` is not a state space of PTX; it is the memory that surface instructions access.
enum class Space : std::uint8_t { none, reg, param, global, shared, local, constant, generic, surface };

struct Register {
  std::uint32_t index = 0;  ///< indexes Function::registers

  friend bool operator==(const Register&, const Register&) = default;
};

/// Integer and floating immediates keep their bits; `type` is the type of the spelling in the text (s64, u64,
/// f32, f64).
struct Immediate {
  std::uint64_t bits = 0;
  Type type = Type::s64;
};

/// %tid.x and other special registers; `component` is 'x', 'y', 'z' or 0.
struct SpecialRegister {
  std::string name;  ///< "tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", …
  char component = 0;
};

struct Symbol {
  /// A variable, parameter, function or label, used as a value; or a part of a register as it is spelled
  /// ("%r1.x"), which no name can equal, because names have no dots.
  std::string name;
};

/// [base + offset]; base is a register, a symbol or absent (absolute address).
struct Address {
  std::variant<std::monostate, Register, Symbol> base;
  std::int64_t offset = 0;
};

struct Operand;
struct Vector {
  std::vector<Operand> elements;  ///< {%f1, %f2, %f3, %f4}
};

struct Operand {
  std::variant<std::monostate, Register, Immediate, SpecialRegister, Symbol, Address, Vector> value;
  bool negated = false;              ///< !%p
  std::optional<Register> second{};  ///< the "|q" of a `%p|%q` destination pair
};

struct Guard {
  Register predicate;
  bool negated = false;
};

/// The modifiers stay text ({"rn", "f32"}): `exec` has the table of supported forms, so an unsupported form
/// is reported by the name that the text gives it.
struct Instruction {
  std::optional<Guard> guard;
  Opcode opcode = Opcode::unknown;
  std::string unknown_opcode;          ///< its spelling if `opcode` is unknown; else empty
  std::vector<std::string> modifiers;  ///< {"global", "nc", "f32"}, in order
  /// Destination first, as written. A call has three or four: Vector of returns, callee (Symbol or Register),
  /// Vector of arguments (both Vectors are always present and can be empty), and the prototype or target list
  /// (Symbol).
  /// `[t, {x, y}]` of texture and tensor instructions is a Vector: the Address, then what follows it.
  std::vector<Operand> operands;
  /// For inlined code of a library, such as cooperative groups, the line of the call outside of libraries.
  SourceLine source;
  std::uint32_t ptx_line = 0;            ///< line in the PTX text
  std::string_view opcode_text() const;  ///< "ld"
  std::string spelled() const;           ///< "ld.global.nc.f32"
  const OpcodeTraits& traits() const { return traits_of(opcode); }
};

struct Variable {
  std::string name;
  Space space = Space::none;
  Type type = Type::none;
  std::size_t align = 1;       ///< bytes
  std::size_t size_bytes = 0;  ///< 0 for extern arrays of unknown length
  bool is_extern = false;
  std::vector<std::byte> initial{};  ///< the leading bytes, at most size_bytes; the rest is zero
  struct Relocation {
    std::size_t offset = 0;  ///< in the variable; the 8 bytes of the address are inside `initial`
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;  ///< written generic(symbol): a generic address, not one of the symbol's space
  };
  std::vector<Relocation> relocations{};  ///< initialisers that contain addresses of other symbols
};

struct RegisterDeclaration {
  std::string name;
  Type type = Type::none;
};

struct Label {
  std::string name;
  std::uint32_t target = 0;  ///< index into Function::code; code.size() is possible
};

/// A `.branchtargets` list; the second operand of brx.idx is its name.
struct BranchTargets {
  std::string name;
  std::vector<std::string> labels;
  std::uint32_t ptx_line = 0;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_extern = false;            ///< declared without a body in this module
  std::vector<Variable> returns;     ///< .func only
  std::vector<Variable> parameters;  ///< offsets follow from order, size and align
  std::vector<RegisterDeclaration>
      registers;  ///< the registers that the code mentions, in order of first mention
  /// .shared, .local, .param … variables declared inside. Names are unique in the function and differ from
  /// the module's: the second `param0` is "param0#2", also in the operands that refer to it. The same applies
  /// to labels.
  std::vector<Variable> variables;
  std::vector<Instruction> code;
  std::vector<Label> labels;
  std::vector<BranchTargets> branch_targets;
  std::vector<std::uint32_t> not_unrolled;  ///< indexes into `code`: preceded by .pragma "nounroll"
  std::uint32_t max_threads = 0;            ///< product of .maxntid or .reqntid; 0 = not given
  std::uint32_t cluster_blocks = 1;         ///< product of .reqnctapercluster
  SourceLine source;                        ///< of the first .loc in the body
};

struct Module {
  std::string version;              ///< "9.0"
  std::string target;               ///< "sm_80"
  std::vector<std::string> files;   ///< by .file number; entry 0 is ""
  std::vector<Variable> variables;  ///< .global, .const and module-level .shared
  std::vector<Function> functions;
};

struct ParseError {
  std::uint32_t ptx_line = 0;
  std::string what;  ///< "expected ';' after operand, found '}'"
};

/// Bounds the memory that the parser needs for hostile text. Templates of libraries need this much: 20
/// algorithms of Thrust are 9 MB.
inline constexpr std::size_t kMaxTextBytes = std::size_t{32} << 20U;

/// Never throws on bad text and never reads past it; time and memory are linear in text.size(). Every symbol
/// without a dot that an instruction uses is a label, variable, parameter, branch-target list or call
/// prototype of its function, or a variable or function of the module.
grader::Expected<Module, ParseError> parse(std::string_view text);

}  // namespace vgpu::ptx
