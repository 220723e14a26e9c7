#include "vgpu/analysis/other_orders.hpp"

#include "vgpu/analysis/rewriting.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

using ptx::Opcode;
using ptx::Operand;

// A thread gives way this many times at one place: threads that repeat an operation until it succeeds would
// need a time that is quadratic in their number. A register counts for 16 places.
constexpr std::uint64_t kTurns = 2, kBitsOfCount = 2, kCountedPlaces = 16;

class HalfWarps : public Rewriting {
 public:
  using Rewriting::Rewriting;

 private:
  void begin() override {
    is_even_ = add_register(ptx::Type::b32);
    half_ = add_register(ptx::Type::b32);
  }

  void follow(ptx::Instruction instruction) override {
    const bool is_mask = instruction.opcode == Opcode::activemask && !instruction.operands.empty();
    const Operand mask = is_mask ? Operand{instruction.operands[0].value} : Operand{};
    keep(std::move(instruction));
    if (is_mask) keep_own_half(mask);
  }

  /// Removes the lanes of the other half warp from the mask.
  void keep_own_half(const Operand& mask) {
    const auto& guard = current().guard;
    const Operand even = is_even_, half = half_;
    emit(Opcode::mov, {"u32"}, {even, {ptx::SpecialRegister{"laneid"}}}, guard);
    emit(Opcode::popc, {"b32"}, {even, even}, guard);
    emit(Opcode::and_, {"b32"}, {even, even, number(1)}, guard);
    emit(Opcode::sub, {"u32"}, {even, even, number(1)}, guard);  // all ones in even lanes
    emit(Opcode::xor_, {"b32"}, {half, even, number(kOddLanes)}, guard);
    emit(Opcode::and_, {"b32"}, {mask, mask, half}, guard);
  }

  Operand is_even_, half_;
};

class BlockOrders : public Rewriting {
 public:
  BlockOrders(ptx::Function& function, bool takes_turns) : Rewriting(function), takes_turns_(takes_turns) {}

 private:
  void begin() override {
    number_ = add_register(ptx::Type::b32);
    if (!takes_turns_) return;
    turns_taken_ = add_register(ptx::Type::b32);
    has_turn_ = add_register(ptx::Type::pred);
    emit(Opcode::mov, {"u32"}, {turns_taken_, number(0)});
  }

  void follow(ptx::Instruction instruction) override {
    if (takes_turns_ && shows_to_others(instruction))
      give_way(instruction.opcode == Opcode::st ? kSleepsOfStore : kSleepsOfAtomic);
    const auto component = component_of_block(instruction);
    const Operand place = component ? Operand{instruction.operands[0].value} : Operand{};
    keep(std::move(instruction));
    if (component) go_to_opposite(place, *component);
  }

  /// Of an instruction that reads a component of %ctaid, which is always a move.
  static std::optional<char> component_of_block(const ptx::Instruction& instruction) {
    if (instruction.opcode != Opcode::mov || instruction.operands.size() != 2) return std::nullopt;
    const auto* special = std::get_if<ptx::SpecialRegister>(&instruction.operands[1].value);
    if (special == nullptr || special->name != "ctaid") return std::nullopt;
    return special->component;
  }

  void go_to_opposite(const Operand& place, char component) {
    const Operand last = number_;
    emit(Opcode::mov, {"u32"}, {last, {ptx::SpecialRegister{"nctaid", component}}}, current().guard);
    emit(Opcode::sub, {"u32"}, {last, last, number(1)}, current().guard);
    emit(Opcode::sub, {"u32"}, {place, last, place}, current().guard);
  }

  /// Whether other blocks, or other warps of the block, can see what the instruction does.
  static bool shows_to_others(const ptx::Instruction& instruction) {
    return instruction.opcode == Opcode::atom || instruction.opcode == Opcode::red ||
           (instruction.opcode == Opcode::st && is_strong(instruction) &&
            !is_for_space(instruction, "shared"));
  }

  // A block gives way when all its warps sleep, others reach a barrier or their end first. Stores wait longer
  // than atomic operations, so that a store after the operation that announces it comes too late.
  static constexpr int kSleepsOfAtomic = 3, kSleepsOfStore = 12;

  void give_way(int sleeps) {
    const Operand taken = turns_taken_, count = number_, has_turn = has_turn_;
    const std::uint64_t bit = places_++ % kCountedPlaces * kBitsOfCount;
    emit(Opcode::bfe, {"u32"}, {count, taken, number(bit), number(kBitsOfCount)});
    emit(Opcode::setp, {"lt", "u32"}, {has_turn, count, number(kTurns)});
    const ptx::Guard guard{std::get<ptx::Register>(has_turn.value)};
    emit(Opcode::add, {"u32"}, {taken, taken, number(std::uint64_t{1} << bit)}, guard);
    for (int i = 0; i < sleeps; ++i) emit(Opcode::nanosleep, {"u32"}, {number(1)}, guard);
  }

  bool takes_turns_;
  Operand number_, turns_taken_, has_turn_;
  std::uint64_t places_ = 0;  ///< at which threads give way
};

}  // namespace

void change_order(ptx::Module& module, Scaled experiment) {
  const bool takes_turns = experiment == Scaled::block_turns;
  for (ptx::Function& function : module.functions) {
    if (function.code.empty()) continue;
    if (experiment == Scaled::active_masks) HalfWarps(function).run();
    if (experiment == Scaled::block_order || takes_turns) BlockOrders(function, takes_turns).run();
  }
}

}  // namespace vgpu::exec
