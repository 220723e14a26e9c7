// The work of decode(), one instruction at a time. Split into decode.cpp (the walk over the code, and
// control flow), decode_operands.cpp (computation), and one file per family of instructions, such as
// decode_memory.cpp.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vgpu/analysis/matrix_forms.hpp"
#include "vgpu/analysis/speculated_loads.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/decode/operands.hpp"
#include "vgpu/decode/registers.hpp"
#include "vgpu/handlers/surface_access.hpp"
#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/state/decoded.hpp"
#include "vgpu/state/form.hpp"

namespace vgpu::exec {

/// Throws Unsupported if the instruction has fewer operands.
const ptx::Operand& operand(const ptx::Instruction& instruction, std::size_t index);
/// True for an operand spelled _: the program does not need the value.
bool is_sink(const ptx::Operand& operand);

/// The context for decoding the calls of a function.
struct CallContext {
  const std::unordered_map<std::string, std::uint32_t>* callables = nullptr;  ///< index of functions, by name
  const Callable* self = nullptr;                                             ///< nullptr: the kernel
};

class Decoder {
 public:
  Decoder(const ptx::Function& function, const ptx::ControlFlow& flow, Operands& operands,
          const RegisterUse& use, const CallContext& calls, Tracing tracing, Watching watching,
          Program& program);

  void run();

 private:
  void add_join(std::uint32_t index);
  void instruction(const ptx::Instruction& instruction, std::uint32_t index);
  void control(const ptx::Instruction& instruction, std::uint32_t index);
  void branch(const ptx::Instruction& instruction, std::uint32_t index);
  void branch_list(const ptx::Instruction& instruction, std::uint32_t index);
  void barrier(const ptx::Instruction& instruction);
  void warp_barrier(const ptx::Instruction& instruction);
  void cluster_barrier(const ptx::Instruction& instruction, bool is_aligned);
  void add_barrier(Handler handler, Decoded d);
  bool may_wait_in_loop(const ptx::Instruction& instruction, const Decoded& d) const;
  void add_poll(const ptx::Instruction& instruction);
  void call(const ptx::Instruction& instruction, std::uint32_t index);
  CallSite call_site(const ptx::Instruction& instruction, std::uint32_t index);
  std::vector<Callable::Slot> pass(const ptx::Operand& list, std::vector<ptx::Variable>& passed) const;
  /// Emits a branch that makes lanes whose guard fails skip the next instruction.
  void begin_guarded(const ptx::Instruction& instruction);
  void end_guarded(const ptx::Instruction& instruction);
  void resolve_targets();
  void describe_work();

  Decoded formed(const ptx::Instruction& instruction, std::uint32_t index);
  bool decoded_without_form(Decoded& d, const ptx::Instruction& instruction);
  void lanes(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  /// Decodes a cvt with registers wider than its types; returns false for other instructions.
  bool wide_conversion(const ptx::Instruction& instruction);
  /// Emits an instruction that is not counted unless the caller sets `counted_as`.
  Decoded& emit_conversion(const std::string& form, std::uint32_t to, std::uint32_t from);
  void compare(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  void move(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  bool move_vector(Decoded& d, const ptx::Instruction& instruction);
  void convert_address(Decoded& d, const ptx::Instruction& instruction);
  void cache_policy(Decoded& d, const ptx::Instruction& instruction);
  void lookup_and_combine(Decoded& d, const ptx::Instruction& instruction);
  void warp_wide(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  void load_or_store(Decoded& d, const ptx::Instruction& instruction);
  bool is_passed_in_registers(const std::string& name) const;
  bool load_parameter(Decoded& d, const ptx::Instruction& instruction);
  std::vector<std::uint32_t> atomic_elements(const ptx::Vector& added, const ptx::Operand* old, Lane lane);
  void async_copy(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  void memory_barrier(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  void matrix_product(Decoded& d, const Form& form, const ptx::Instruction& instruction);
  void matrix_access(const ptx::Instruction& instruction);
  void fragment_access(const FragmentAccess& access, const ptx::Instruction& instruction);
  std::vector<std::uint32_t> fragment_addresses(const FragmentAccess& access,
                                                const ptx::Instruction& instruction);
  std::vector<std::uint32_t> matrix_registers(const ptx::Operand& operand, Lane lane, bool is_read);
  void row_access(const RowAccess& access, const ptx::Instruction& instruction);
  void move_matrix(Decoded& d, const ptx::Instruction& instruction);
  Decoded& add_step(Decoded d, Handler handler, InstructionClass counted_as);
  void add_arrangement(std::span<const std::uint32_t> sources, std::span<const std::uint32_t> targets,
                       std::vector<std::uint32_t> table);
  void add_access(AccessSite site, std::uint32_t addresses, std::span<const std::uint32_t> values,
                  std::uint32_t lanes);
  void wait_group(Decoded& d, const ptx::Instruction& instruction);
  void texture_fetch(Decoded& d, const ptx::Instruction& instruction);
  void surface_access(Decoded& d, const ptx::Instruction& instruction);
  std::uint32_t surface_addresses(const SurfaceForm& form, const ptx::Operand& where,
                                  const ptx::Instruction& instruction);
  void add_elements(const ptx::Operand& operand);
  void describe_memory_step(const ptx::Instruction& instruction, FlowStep& step);
  /// Describes the instruction's reads and writes for its code from `first` on.
  void describe_flow(const ptx::Instruction& instruction, std::size_t first);
  void watch(const ptx::Instruction& instruction, std::uint32_t index);
  void apply_guard(Decoded& d, const ptx::Instruction& instruction) const;
  void atomic(Decoded& d, const Form& form, const ptx::Instruction& instruction, bool result_needed);
  /// Returns whether a symbol is a variable in the running call's frame, and sets `offset` to its place
  /// there.
  bool is_in_frame(const std::string& symbol, std::uint64_t& offset) const;
  /// Sets d.a and d.offset; returns whether the address register has 64 bits.
  bool address(Decoded& d, const ptx::Operand& operand);
  /// Sets d.dst or d.extra for a scalar or vector value; returns whether the registers have 64 bits.
  bool value(Decoded& d, const ptx::Operand& operand, ptx::Type type, bool is_store);

  Decoded& emit(Handler handler, InstructionClass counted_as);
  std::uint32_t add_list(std::vector<std::uint32_t> list);
  const Form& form_named(const std::string& name) const;

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  Operands& operands_;
  const RegisterUse& use_;
  const CallContext calls_;
  std::unordered_map<std::string_view, const ptx::Variable*> passable_;  ///< .param variables, by name
  Tracing tracing_;
  Watching watching_;
  Program& program_;
  std::vector<bool> predicated_;  ///< by instruction: true for branches that machine code does not have
  std::unordered_map<std::uint32_t, std::uint8_t> merged_;  ///< shared_merging.hpp
  // Empty unless the program is watched.
  std::vector<bool> guesses_;                    ///< cas_guesses.hpp
  std::vector<std::string_view> bases_;          ///< shared_bases.hpp
  std::map<std::uint32_t, Readers> speculated_;  ///< speculated_loads.hpp
  std::vector<bool> is_join_;                    ///< by instruction, and for the end
  std::vector<std::uint32_t>
      start_of_;  ///< by instruction: the beginning of its code, including its join point
  std::uint32_t origin_ = 0;
  std::size_t skip_ = 0;  ///< index into Program::code: the skip of the guarded instruction being decoded

  struct Jump {
    std::uint32_t at;      ///< index of the branch in Program::code
    std::uint32_t target;  ///< instruction
    std::uint32_t join;    ///< instruction, or ControlFlow::kNone
  };
  std::vector<Jump> jumps_;
};

}  // namespace vgpu::exec
