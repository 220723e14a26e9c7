// The live registers at each instruction of a function, per thread: backward data flow over its basic blocks
// (Aho et al., Compilers, 9.2.5). A guarded write does not end the life of the old value, because lanes whose
// guard fails keep it.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/ptx/control_flow.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// Registers, by index, that an instruction reads and writes.
struct Uses {
  std::vector<std::uint32_t> reads, writes;
};
Uses uses_of(const ptx::Instruction& instruction);

/// The instructions that can follow instruction `i`; code.size() means the end.
std::vector<std::uint32_t> successors_of(const ptx::Function& function, const ptx::ControlFlow& flow,
                                         std::uint32_t i);

class Liveness {
 public:
  Liveness(const ptx::Function& function, const ptx::ControlFlow& flow);

  /// False if the function is too large or its loops are too deeply nested. The other functions then have no
  /// meaning.
  bool known() const { return known_; }
  /// Calls visit(index, live) for every instruction, last to first; `live` has a bit for each register that
  /// is live after it.
  template <class Visit>
  void for_each_instruction(Visit visit) const;
  const std::vector<bool>& live_at_entry() const { return blocks_.front().live_in; }

  struct Block {
    std::uint32_t begin = 0, end = 0;  ///< instructions [begin, end)
    std::vector<std::uint32_t> successors;
    std::vector<bool> live_in, live_out;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  void find_blocks(const ptx::Function& function, const ptx::ControlFlow& flow);
  bool solve();
  bool update(Block& block) const;
  void step_back(std::vector<bool>& live, std::uint32_t instruction) const;

  std::vector<Uses> uses_;
  std::vector<bool> is_guarded_;
  std::vector<Block> blocks_;
  bool known_ = false;
};

template <class Visit>
void Liveness::for_each_instruction(Visit visit) const {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    std::vector<bool> live = block->live_out;
    for (std::uint32_t i = block->end; i-- > block->begin;) {
      visit(i, live);
      step_back(live, i);
    }
  }
}

}  // namespace vgpu::exec
