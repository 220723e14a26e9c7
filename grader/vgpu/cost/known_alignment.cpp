#include "vgpu/cost/known_alignment.hpp"

#include <algorithm>
#include <bit>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

constexpr std::uint8_t kAllZero = 64;
constexpr std::uint8_t kSharedStart = 10;  // shared memory itself starts at a multiple of 1,024 bytes
constexpr int kMaxRounds = 16;  // each round clears bits; after the last one, no alignment is assumed

std::uint8_t trailing_zeros(std::uint64_t value) {
  return static_cast<std::uint8_t>(value == 0 ? kAllZero : std::countr_zero(value));
}

class ZeroBits {
 public:
  ZeroBits(const ptx::Function& function, const Layout& shared)
      : function_(function), shared_(shared), bits_(function.registers.size(), kAllZero) {}

  // Starts with the assumption that all bits are zero; each round can only lower it. The values are valid
  // once a round changes nothing.
  std::vector<std::uint8_t> run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      if (!update()) return bits_;
    }
    return std::vector<std::uint8_t>(bits_.size(), 0);
  }

 private:
  /// Returns whether a register turned out to be less aligned than assumed.
  bool update() {
    bool changed = false;
    for (const ptx::Instruction& instruction : function_.code) {
      const std::vector<std::uint32_t> writes = uses_of(instruction).writes;
      if (writes.empty()) continue;
      const std::uint8_t zeros = writes.size() == 1 ? result(instruction) : 0;
      for (const std::uint32_t reg : writes) {
        changed |= zeros < bits_[reg];
        bits_[reg] = std::min(bits_[reg], zeros);
      }
    }
    return changed;
  }

  std::uint8_t result(const ptx::Instruction& instruction) const {
    using ptx::Opcode;
    const auto in = [&](std::size_t index) { return operand(instruction, index); };
    // A product of numbers with a and b trailing zeros has a + b of them.
    const auto sum = [](int a, int b) { return static_cast<std::uint8_t>(std::min<int>(a + b, kAllZero)); };
    const bool is_upper_half = has_modifier(instruction, "hi");  // of a product
    switch (instruction.opcode) {
      case Opcode::mov:
      case Opcode::cvta:
        return in(1);
      case Opcode::cvt:
        return is_integer(instruction) ? in(1) : std::uint8_t{0};
      case Opcode::add:
      case Opcode::sub:
      case Opcode::or_:
      case Opcode::xor_:
      case Opcode::min:
      case Opcode::max:
      case Opcode::selp:
        // A low bit that is zero in both operands is zero in the result: no carry comes from below.
        return std::min(in(1), in(2));
      case Opcode::and_:
        // One operand's zero is enough.
        return std::max(in(1), in(2));
      case Opcode::shl:
        return sum(in(1), immediate(instruction, 2));
      case Opcode::mul:
        return is_upper_half ? std::uint8_t{0} : sum(in(1), in(2));
      case Opcode::mad:
        return is_upper_half ? std::uint8_t{0} : std::min(sum(in(1), in(2)), in(3));
      default:
        return 0;
    }
  }

  static bool is_integer(const ptx::Instruction& instruction) {
    return std::none_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                        [](const std::string& modifier) { return modifier.starts_with("f"); });
  }

  std::uint8_t operand(const ptx::Instruction& instruction, std::size_t index) const {
    if (index >= instruction.operands.size()) return 0;
    const auto& value = instruction.operands[index].value;
    if (const auto* reg = std::get_if<ptx::Register>(&value)) return bits_[reg->index];
    if (const auto* number = std::get_if<ptx::Immediate>(&value)) return trailing_zeros(number->bits);
    if (const auto* symbol = std::get_if<ptx::Symbol>(&value))
      return zero_bits_of_shared(symbol->name, shared_);
    return 0;
  }

  static int immediate(const ptx::Instruction& instruction, std::size_t index) {
    const auto* number = index < instruction.operands.size()
                             ? std::get_if<ptx::Immediate>(&instruction.operands[index].value)
                             : nullptr;
    return number == nullptr ? 0 : static_cast<int>(std::min<std::uint64_t>(number->bits, kAllZero));
  }

  const ptx::Function& function_;
  const Layout& shared_;
  std::vector<std::uint8_t> bits_;
};

}  // namespace

std::vector<std::uint8_t> known_zero_bits(const ptx::Function& function, const Layout& shared) {
  return ZeroBits(function, shared).run();
}

std::uint8_t zero_bits_of_shared(const std::string& name, const Layout& shared) {
  const auto found = shared.offsets.find(name);
  return found == shared.offsets.end() ? std::uint8_t{0}
                                       : std::min(trailing_zeros(found->second), kSharedStart);
}

}  // namespace vgpu::exec
