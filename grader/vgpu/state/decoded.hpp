// The form in which kernels run: pre-decoded instructions, each with the function that executes it for a
// whole warp. Operands are byte offsets into the warp's register file; immediates, kernel parameters and
// special registers are ordinary vectors of that file, so handlers do not distinguish kinds of operands.
// Pure data, immutable once decoded; shared by all worker threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/analysis/store_targets.hpp"
#include "vgpu/facts/counters.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

struct Warp;
struct Decoded;
struct SpecialRegister;
struct WorkSite;

/// Executes one instruction for the active lanes. Returns the warp's next instruction, nullptr if the warp
/// cannot continue (it ended, waits, or faulted).
using Handler = const Decoded* (*)(Warp&, const Decoded&);

inline constexpr int kWarpLanes = 32;
inline constexpr std::uint32_t kFullMask = 0xFFFFFFFFU;
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;  ///< "no instruction" and "no operand"

/// The class of instructions that the decoder adds (join points): they are not counted.
inline constexpr std::uint8_t kUncountedClass = kInstructionClasses;

struct Decoded {
  Handler run = nullptr;
  Handler guarded = nullptr;  ///< the instruction itself, when `run` only applies the guard
  std::uint32_t dst = 0, a = 0, b = 0, c = 0;
  /// By handler: a fourth operand, a second destination, an index (Program::list_of(), call_site_of()), or a
  /// count (open_groups(), flow/async_forms.hpp).
  std::uint32_t extra = 0;
  std::uint32_t guard = 0;   ///< branches and guarded instructions: the predicate's offset
  std::int32_t offset = 0;   ///< added to addresses, bytes
  std::int32_t target = 0;   ///< branches: distance in instructions from this one
  std::int32_t join = 0;     ///< branches: distance to the reconvergence point, 0 if only the end
  std::uint32_t memo = 0;    ///< memory accesses: index into Core::memos
  std::uint32_t origin = 0;  ///< index into Program::origins
  std::uint8_t counted_as = 0;
  /// The handler's header defines the meaning: AccessOption, AddressOption, BarrierOption, FenceScope,
  /// ClockPart, FetchForm, …
  std::uint8_t option = 0;
  bool guard_negated = false;  ///< @!%p
};

/// Where an instruction came from, and facts for counting it. Used only when a block has ended, and for
/// faults and findings.
struct Origin {
  ptx::SourceLine source;
  std::string spelled;
  std::uint16_t flops = 0;  ///< floating-point operations per thread
  enum class Branch : std::uint8_t {
    none,
    conditional,
    predicated,  ///< conditional here, but a predicate in machine code (if_conversion.hpp)
    list         ///< brx.idx
  };
  Branch branch = Branch::none;
};

/// A vector of the register file that instructions only read.
struct Constant {
  enum class Kind : std::uint8_t {
    value,      ///< `value` in every lane
    parameter,  ///< `bytes` bytes of the kernel parameters at `value`, sign-extended if `is_signed`
    special     ///< a special register, `special`
  };
  Kind kind = Kind::value;
  std::uint32_t offset = 0;  ///< in the register file
  std::uint8_t lane_bytes = 4;
  std::uint8_t bytes = 0;
  bool is_signed = false;
  std::uint64_t value = 0;
  const SpecialRegister* special = nullptr;
};

/// A function that is called while the kernel runs (a recursive one, or one whose address is taken).
struct Callable {
  /// One passed variable, in the frame of the caller or the callee.
  struct Slot {
    std::uint32_t offset = 0, bytes = 0;

    friend bool operator==(const Slot&, const Slot&) = default;
  };
  std::string name;
  std::uint32_t entry = kNowhere;        ///< index into Program::code; kNowhere: no body in this program
  std::uint32_t frame_bytes = 0;         ///< bytes of local memory
  std::uint32_t frame_base = 0;          ///< register with the start of the frame, 8 bytes per lane
  std::vector<Slot> results, arguments;  ///< stored at the start of the frame
};

/// A register's place in the register file.
struct RegisterPlace {
  std::uint32_t offset = 0, bytes = 0;
};

/// What a call instruction saves and passes.
struct CallSite {
  std::uint32_t callee = kNowhere;  ///< index into Program::callables; kNowhere: the address is in a register
  std::uint32_t frame_bytes = 0;    ///< the caller's frame: variables, then the registers it saves
  std::uint32_t saved_at = 0;       ///< offset in the frame
  std::vector<RegisterPlace> saved;     ///< the caller's registers that are live after the call
  std::uint32_t frame_base = kNowhere;  ///< the caller's frame base, as in Callable; kNowhere in a kernel
  std::vector<Callable::Slot> results, arguments;                ///< places in the caller's frame
  std::vector<Callable::Slot> passed_results, passed_arguments;  ///< places in the callee's frame
};

/// Facts about a memory instruction for the checkers.
struct AccessSite {
  Handler run = nullptr;  ///< the instruction itself
  ptx::Space space = ptx::Space::none;
  bool is_store = false;  ///< true for atomics as well
  bool is_atomic = false;
  bool is_strong = false;     ///< volatile, relaxed, acquire, release
  bool is_volatile = false;   ///< strong for the hardware, but not atomic for the program
  bool observes = false;      ///< can read a value that another thread published
  bool acquires = false;      ///< observes, and acts as if a fence followed
  bool releases = false;      ///< publishes as if a fence preceded it
  bool is_of_block = false;   ///< atomic or strong at block scope (.cta): not for threads of other blocks
  bool is_exchange = false;   ///< atomic, and only moves values: exch, cas
  bool overwrites = false;    ///< exch without a result: memory is not read
  bool is_read_only = false;  ///< ld.global.nc: of memory that nothing writes while the kernel runs
  bool has_wide_address = false;
  bool has_wide_value = false;  ///< registers of 8 bytes
  std::uint8_t element_bytes = 0;
  std::uint8_t elements = 1;
  bool loads_registers = false;   ///< a load whose results are in Decoded::dst, or in its list
  bool stores_registers = false;  ///< st: ValueFlow follows the values to memory
  std::uint16_t number = 0;       ///< index into CheckedSites::numbered
  /// The shared array that all addresses belong to (shared_bases.hpp); empty: unknown.
  std::uint32_t array_start = 0, array_end = 0;
  std::uint32_t origin = 0;
  /// The predicate that decides which lanes need the value of a load (speculated_loads.hpp); kNowhere: all
  /// do.
  std::uint32_t readers = kNowhere;
  bool reads_if_holds = false;

  std::uint32_t bytes() const { return std::uint32_t{element_bytes} * elements; }
  /// Whether accesses at these offsets of shared memory, and all between them, stay in the array.
  bool stays_in_array(std::uint64_t lowest, std::uint64_t highest) const {
    return array_end == 0 || (lowest >= array_start && highest + bytes() <= array_end);
  }
};

/// The registers that an instruction reads and writes, for following values (check/value_flow.hpp).
struct FlowStep {
  enum class Kind : std::uint8_t {
    use,       ///< what it reads can change a result
    lanewise,  ///< a lane's result depends on what the lane reads, and has no other effect
    select,    ///< the same for selp: reads are the two values (kNowhere: no register) and the predicate
    shuffle,   ///< the handler reports the lanes' sources
    load,      ///< reads: the address (kNowhere: no register); writes: the elements
    store,     ///< reads: the address, then the elements (kNowhere: no register)
    untracked  ///< the same for stores to where values are not followed; atom.exch, atom.cas
  };
  /// How the bits of a lanewise result depend on the bits of the operands.
  enum class Bits : std::uint8_t {
    any,          ///< each on all of them
    move,         ///< the result is the operand
    convert,      ///< zero-extended, sign-extended or truncated from `from_bytes` to `bytes`
    pack,         ///< the operands (Program::list_of()) side by side
    unpack,       ///< the results (Program::list_of()) are the parts of the operand
    conjunction,  ///< and
    disjunction,  ///< or
    bit_by_bit,   ///< on the same bits of the operands: xor, not, lop3
    upwards,      ///< on the same and lower bits: sums, differences, low halves of products
    left,         ///< shl
    right,        ///< shr
    permute,      ///< prmt without a mode
    extract,      ///< bfe
    insert        ///< bfi
  };
  Kind kind = Kind::use;
  Bits bits = Bits::any;
  std::uint8_t bytes = 0, from_bytes = 0;  ///< of the type; from_bytes: Bits::convert
  bool is_signed = false;                  ///< Bits::convert and right: the sign is extended
  std::uint8_t reads = 0, writes = 0;
  bool is_guarded = false;         ///< runs in the lanes for which `guard` holds
  std::uint32_t guard = kNowhere;  ///< predicate
  std::uint32_t first = 0;         ///< index into step_registers: reads, then writes
};

/// The memory instructions of a checked program; empty in others.
struct CheckedSites {
  std::vector<FlowStep> steps;                ///< by index into Program::code
  std::vector<std::uint32_t> step_registers;  ///< places in the register file
  std::vector<AccessSite> by_code;            ///< by index into Program::code
  std::vector<std::uint32_t> numbered;  ///< indices into by_code; all further sites share the last number
  std::uint32_t shared_granule = 4, global_granule = 4;  ///< bytes of the smallest access, at most a word
  bool has_block_scope = false;                          ///< a site has AccessSite::is_of_block
  bool has_device_fence = false;                         ///< a fence, or a site with AccessSite::releases

  const AccessSite& site(std::uint16_t number) const { return by_code[numbered[number]]; }
};

struct Program {
  std::string kernel;
  std::vector<Decoded> code;
  std::vector<Origin> origins;
  std::vector<Constant> constants;
  std::vector<std::vector<std::uint32_t>> lists;  ///< operand lists too long for a Decoded
  /// Registers that a thread can read before it writes them: set when a block begins, to values that make
  /// results wrong.
  std::vector<RegisterPlace> unwritten;
  /// Those of them that belong to the kernel, not to a function that it calls.
  struct UnsetRegister {
    std::uint32_t place = 0;
    std::uint32_t origin = 0;  ///< of the first instruction in the text that reads it
  };
  std::vector<UnsetRegister> unset;
  std::uint32_t file_bytes = 0;  ///< size of one warp's register file
  std::uint32_t memo_count = 0;
  std::uint32_t poll_count = 0;           ///< instructions that can wait for other threads in a loop
  std::uint32_t local_bytes = 0;          ///< per thread, without calls
  std::uint32_t static_shared_bytes = 0;  ///< dynamic shared memory starts here
  std::vector<PlacedVariable> shared_variables;
  /// The shared memory of cooperative groups of several warps: libraries use it before they write it.
  std::uint32_t reserved_start = 0, reserved_end = 0;
  std::uint32_t registers = 0;        ///< 32-bit registers per thread, an estimate
  std::uint32_t least_registers = 0;  ///< RegisterUse::carried_words
  /// A shared access that machine code merges: bytes of the wide access, 0 if another access represents it.
  struct MergedAccess {
    std::uint32_t memo = 0;
    std::uint8_t bytes = 0;
  };
  std::vector<MergedAccess> merged_accesses;
  std::vector<std::string> files;  ///< names by SourceLine::file
  /// Input of the time model, see machine_work.hpp; never null once decoded.
  std::shared_ptr<const std::vector<WorkSite>> work;
  CheckedSites checked;
  StoreTargets store_targets;       ///< of checked programs
  bool reads_clock = false;         ///< needs LaunchContext::clock
  bool has_system_scope = false;    ///< an access or a fence is volatile or of system scope
  bool reads_grid_size = false;     ///< the number of blocks, as kernels do that walk through their data
  bool needs_block_order = false;   ///< blocks communicate through global memory (grid.hpp)
  std::vector<Callable> callables;  ///< by ptx::Module::functions; empty if the kernel calls none of them
  std::vector<CallSite> call_sites;
  std::uint64_t callables_start = 0;  ///< address of the first function, see callable_address()

  /// The first unsupported instruction, if any; the program must not be run then.
  struct Unsupported {
    Origin origin;
    std::string detail;
  };
  std::optional<Unsupported> unsupported;

  /// The operand list of an instruction whose handler has one.
  const std::vector<std::uint32_t>& list_of(const Decoded& d) const { return lists[d.extra]; }
  /// Of call and return_point (flow/calls.hpp).
  const CallSite& call_site_of(const Decoded& d) const { return call_sites[d.extra]; }
};

}  // namespace vgpu::exec
