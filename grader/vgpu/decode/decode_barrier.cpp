// Decoder: barriers of a warp, of a block, and of a cluster, which here is one block.
#include <fmt/format.h>

#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/barriers.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/warp_groups.hpp"

namespace vgpu::exec {
namespace {

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  const auto& all = instruction.modifiers;
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

BarrierReduction reduction_named(const ptx::Instruction& instruction) {
  if (has(instruction, "popc")) return BarrierReduction::popc;
  if (has(instruction, "and")) return BarrierReduction::all;
  if (has(instruction, "or")) return BarrierReduction::any;
  throw Unsupported{""};
}

}  // namespace

/// `bar` is barrier.aligned.
void Decoder::barrier(const ptx::Instruction& instruction) {
  if (table_name(instruction) == "bar.warp.sync") return warp_barrier(instruction);
  const bool is_aligned = instruction.opcode == ptx::Opcode::bar || has(instruction, "aligned");
  if (has(instruction, "cluster")) return cluster_barrier(instruction, is_aligned);
  Decoded d;
  d.dst = d.b = d.c = kNowhere;
  BarrierOption option{.is_aligned = is_aligned};
  const bool is_reduction = has(instruction, "red");
  const bool arrives = has(instruction, "arrive");
  if (!is_reduction && !arrives && !has(instruction, "sync")) throw Unsupported{""};
  std::size_t next = 0;
  std::size_t last = instruction.operands.size();
  if (is_reduction) {
    option.reduction = reduction_named(instruction);
    const Lane lane = option.reduction == BarrierReduction::popc ? Lane::b32 : Lane::predicate;
    d.dst = operands_.destination(operand(instruction, next++), lane);
    const ptx::Operand& predicate = operand(instruction, --last);
    d.c = operands_.source(predicate, Lane::predicate);
    option.negates_predicate = predicate.negated;
  }
  if (next >= last) throw Unsupported{"has no barrier number"};
  d.a = operands_.source(instruction.operands[next++], Lane::b32);
  if (next < last) d.b = operands_.source(instruction.operands[next], Lane::b32);
  if (arrives && d.b == kNowhere)
    throw Unsupported{"does not specify how many threads the barrier waits for"};
  d.option = option.packed();
  add_barrier(arrives ? control::arrive_at_barrier : control::barrier, d);
}

void Decoder::warp_barrier(const ptx::Instruction& instruction) {
  Decoded& d = emit(control::gather_groups, InstructionClass::barrier);
  d.guarded = control::no_operation;
  if (instruction.operands.empty()) throw Unsupported{"has no member mask"};
  const std::uint32_t mask = operands_.source(instruction.operands[0], Lane::b32);
  program_.code.back().guard = mask;
}

/// A block is a cluster of its own: arriving has no effect yet, and waiting means waiting for all threads.
void Decoder::cluster_barrier(const ptx::Instruction& instruction, bool is_aligned) {
  if (has(instruction, "arrive")) {
    emit(control::no_operation, InstructionClass::barrier);
    return;
  }
  if (!has(instruction, "wait")) throw Unsupported{""};
  Decoded d;
  d.dst = d.b = d.c = kNowhere;
  d.a = operands_.constant(kClusterBarrier, 4);
  d.option = BarrierOption{.is_aligned = is_aligned}.packed();
  add_barrier(control::barrier, d);
}

void Decoder::add_barrier(Handler handler, Decoded d) {
  d.run = handler;
  d.origin = origin_;
  d.counted_as = static_cast<std::uint8_t>(InstructionClass::barrier);
  program_.code.push_back(d);
}

}  // namespace vgpu::exec
