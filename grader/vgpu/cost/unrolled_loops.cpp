#include "vgpu/cost/unrolled_loops.hpp"

#include <algorithm>

#include "vgpu/analysis/liveness.hpp"

namespace vgpu::exec {
namespace {

// Loops of up to 56 instructions were seen unrolled, loops of 64 and more were not.
constexpr std::uint32_t kMaxUnrolledBody = 60;

bool is_allowed(const ptx::Instruction& instruction) {
  const ptx::OpcodeTraits& traits = instruction.traits();
  return traits.unit != ptx::Unit::texture && traits.role != ptx::Role::barrier &&
         traits.role != ptx::Role::call;
}

class Loop {
 public:
  Loop(const std::vector<ptx::Instruction>& code, std::uint32_t begin, std::uint32_t end)
      : code_(code), begin_(begin), end_(end) {}

  bool is_allowed() const {
    return std::all_of(at(begin_), at(end_),
                       [](const ptx::Instruction& one) { return exec::is_allowed(one); });
  }
  /// The predicate of the last branch compares a counter with a value that the loop does not change.
  bool has_constant_step() const {
    const std::uint32_t predicate = code_[end_ - 1].guard->predicate.index;
    const ptx::Instruction* comparison = only_write_of(predicate);
    if (comparison == nullptr || comparison->opcode != ptx::Opcode::setp) return false;
    const std::vector<std::uint32_t> compared = uses_of(*comparison).reads;
    const auto counters =
        std::count_if(compared.begin(), compared.end(), [&](std::uint32_t reg) { return is_counter(reg); });
    const auto changed = std::count_if(compared.begin(), compared.end(),
                                       [&](std::uint32_t reg) { return writes_of(reg) != 0; });
    return counters == 1 && changed == 1;
  }

 private:
  std::vector<ptx::Instruction>::const_iterator at(std::uint32_t index) const {
    return code_.begin() + static_cast<std::ptrdiff_t>(index);
  }
  static bool writes(const ptx::Instruction& instruction, std::uint32_t reg) {
    const std::vector<std::uint32_t> written = uses_of(instruction).writes;
    return std::find(written.begin(), written.end(), reg) != written.end();
  }
  std::ptrdiff_t writes_of(std::uint32_t reg) const {
    return std::count_if(at(begin_), at(end_), [&](const auto& one) { return writes(one, reg); });
  }
  const ptx::Instruction* only_write_of(std::uint32_t reg) const {
    if (writes_of(reg) != 1) return nullptr;
    return &*std::find_if(at(begin_), at(end_), [&](const auto& one) { return writes(one, reg); });
  }
  /// add %r, %r, constant
  bool is_counter(std::uint32_t reg) const {
    const ptx::Instruction* step = only_write_of(reg);
    if (step == nullptr || step->opcode != ptx::Opcode::add || step->guard) return false;
    const std::vector<std::uint32_t> read = uses_of(*step).reads;
    return read.size() == 1 && read[0] == reg;
  }

  const std::vector<ptx::Instruction>& code_;
  std::uint32_t begin_, end_;
};

}  // namespace

bool is_unrolled(const ptx::Function& function, const ptx::ControlFlow& flow, std::uint32_t begin,
                 std::uint32_t end) {
  const ptx::Instruction& last = function.code[end - 1];
  const bool is_loop = last.traits().role == ptx::Role::branch && last.guard && flow.target[end - 1] == begin;
  if (!is_loop || end - begin > kMaxUnrolledBody) return false;
  const bool is_forbidden = std::any_of(function.not_unrolled.begin(), function.not_unrolled.end(),
                                        [&](std::uint32_t index) { return begin <= index && index < end; });
  const Loop loop(function.code, begin, end);
  return !is_forbidden && loop.is_allowed() && loop.has_constant_step();
}

}  // namespace vgpu::exec
