// Follows what values are computed from through the registers and the shared memory of one block. Written for
// small launches, which a wrong result of a lab has: every instruction looks up its registers.
//
// Values in local memory, of textures and of asynchronous copies are not followed; a block that uses them
// makes the graph incomplete. Covered by tests/vgpu/terms_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/record/step_recorder.hpp"
#include "vgpu/state/warp.hpp"
#include "vgpu/terms/term_memory.hpp"

namespace vgpu::exec {

class TermRecorder : public StepRecorder {
 public:
  /// The program must be checked: its CheckedSites describe registers and memory instructions.
  TermRecorder(const Program& program, TermMemory& memory);

  void begin_block(const Core& core) override;
  void step(Warp& warp, const Decoded& d) override;
  StoredTerms take() { return std::exchange(stored_, {}); }

 private:
  using Lanes = std::array<TermId, kWarpLanes>;
  enum class Type : std::uint8_t { other, f16, f32, f64, s32, u32, s64 };
  /// What an instruction does with values; fixed for the program.
  struct Operation {
    Term::Kind kind = Term::Kind::other;
    Type type = Type::other;
    /// Of Kind::other with one term; nullopt: the value remains the same, in another form.
    std::optional<Term::Function> function = Term::Function::other;
    bool is_fused = false;    ///< a * b + c
    bool is_followed = true;  ///< false: makes the graph incomplete
    bool is_of_warp = false;  ///< each lane's result depends on all lanes: votes, redux
  };

  static Operation operation_of(const std::string& spelled);
  static std::optional<Term::Function> function_of(std::string_view spelled);
  const Lanes* find(const Warp& warp, std::uint32_t place) const;
  void put(const Warp& warp, std::uint32_t place, std::uint32_t lanes, const Lanes& terms);
  Lanes computed(const Warp& warp, const Decoded& d, const Operation& operation, const FlowStep& step,
                 std::uint32_t lanes);
  TermId applied(const Operation& operation, TermId operand);
  Lanes tested(const Warp& warp, const std::uint32_t* reads, std::size_t count, std::uint32_t lanes);
  Lanes of_warp(const Warp& warp, const Operation& operation, const FlowStep& step, std::uint32_t lanes);
  Lanes selected(const Warp& warp, const FlowStep& step, std::uint32_t lanes) const;
  Lanes combined(const Warp& warp, const Operation& operation, Term::Kind kind, std::uint32_t left,
                 std::uint32_t right, std::uint32_t lanes);
  TermId combined(Term::Kind kind, TermId left, double left_value, TermId right, double right_value);
  void load(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void store(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void update(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes);
  void shuffle(const Warp& warp, const Decoded& d, std::uint32_t lanes);
  TermId loaded(const Warp& warp, std::uint64_t address);

  const Program& program_;
  TermMemory& memory_;
  std::vector<Operation> operations_;                                ///< by index into Program::code
  std::vector<std::unordered_map<std::uint32_t, Lanes>> registers_;  ///< by warp and place; absent: 0
  std::unordered_map<std::uint64_t, TermId> shared_;                 ///< by generic address
  StoredTerms stored_;
};

}  // namespace vgpu::exec
