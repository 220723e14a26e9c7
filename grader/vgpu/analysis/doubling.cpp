#include "vgpu/analysis/doubling.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

namespace vgpu::exec {
namespace {

using ptx::Opcode;

// IEEE 754: bits 23 to 30 of a float are the exponent; 1 more is twice the value.
constexpr std::uint64_t kExponentBit = 23, kExponentBits = 8, kOneMore = std::uint64_t{1} << kExponentBit;
constexpr std::int64_t kLeastExponent = 64;  ///< of 2^-63
constexpr std::uint64_t kExponents = 127;    ///< up to that of 2^63

ptx::Operand number(std::uint64_t bits) { return {ptx::Immediate{bits, ptx::Type::s64}}; }

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(), [&](const std::string& one) {
    return one == modifier || (one.starts_with(modifier) && one.substr(modifier.size()).starts_with("::"));
  });
}

/// Rewrites one function. Its code gets four registers more, which all doublings share.
class Doubling {
 public:
  Doubling(ptx::Function& function, Doubled doubled) : function_(function), doubled_(doubled) {}

  void run() {
    std::vector<ptx::Instruction> old = std::exchange(function_.code, {});
    std::vector<std::uint32_t> moved;
    for (ptx::Instruction& instruction : old) {
      moved.push_back(static_cast<std::uint32_t>(function_.code.size()));
      function_.code.push_back(std::move(instruction));
      follow(ptx::Instruction(function_.code.back()));
    }
    moved.push_back(static_cast<std::uint32_t>(function_.code.size()));
    for (ptx::Label& label : function_.labels) label.target = moved[label.target];
  }

 private:
  void follow(const ptx::Instruction& instruction) {
    if (doubled_ == Doubled::exchanges) {
      if (instruction.opcode == Opcode::shfl) double_word(instruction, instruction.operands.front());
      return;
    }
    if (instruction.opcode != Opcode::ld || instruction.operands.size() < 2) return;
    const bool shared = doubled_ == Doubled::shared_loads;
    const char* space = shared ? "shared" : "const";
    window_.reset();
    if (!has(instruction, space)) {
      for (const char* other : {"shared", "const", "global", "local", "param"})
        if (has(instruction, other)) return;
      // Generic addresses: whether they are in the space is known only when the kernel runs.
      const auto* address = std::get_if<ptx::Address>(&instruction.operands[1].value);
      const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
      if (base == nullptr) return;
      emit(instruction, Opcode::isspacep, {space}, {{temporary(kWindow)}, {*base}});
      window_ = temporary(kWindow);
    }
    double_loaded(instruction);
  }

  void double_loaded(const ptx::Instruction& load) {
    const auto type = ptx::type_named(load.modifiers.back());
    const std::size_t bytes = type ? ptx::size_of(*type) : 0;
    std::vector<ptx::Operand> loaded{load.operands.front()};
    if (const auto* vector = std::get_if<ptx::Vector>(&load.operands.front().value))
      loaded = vector->elements;
    for (const ptx::Operand& one : loaded) {
      if (!std::holds_alternative<ptx::Register>(one.value)) continue;
      if (bytes == 4) double_word(load, one);
      if (bytes == 8) double_pair(load, one);
    }
  }

  /// kFactor becomes what to add to a word to double it: 0 if it is no float.
  void find_factor(const ptx::Instruction& of, const ptx::Operand& word) {
    const ptx::Operand factor{temporary(kFactor)}, is_float{temporary(kIsFloat)};
    emit(of, Opcode::bfe, {"u32"}, {factor, word, number(kExponentBit), number(kExponentBits)});
    emit(of, Opcode::add, {"s32"}, {factor, factor, number(static_cast<std::uint64_t>(-kLeastExponent))});
    emit(of, Opcode::setp, {"lt", "u32"}, {is_float, factor, number(kExponents)});
    emit(of, Opcode::selp, {"b32"}, {factor, number(kOneMore), number(0), is_float});
    if (window_) emit(of, Opcode::selp, {"b32"}, {factor, factor, number(0), {*window_}});
  }

  void double_word(const ptx::Instruction& of, const ptx::Operand& destination) {
    const auto* reg = std::get_if<ptx::Register>(&destination.value);
    if (reg == nullptr) return;
    const ptx::Operand word{*reg}, factor{temporary(kFactor)};
    find_factor(of, word);
    emit(of, Opcode::add, {"u32"}, {word, word, factor}, of.guard);
  }

  /// Two floats, or a double. Whether they are is decided by the upper one, which of an address is 0 or
  /// small.
  void double_pair(const ptx::Instruction& of, const ptx::Operand& pair) {
    const ptx::Operand low{temporary(kLow)}, high{temporary(kHigh)}, factor{temporary(kFactor)};
    const ptx::Operand halves{ptx::Vector{{low, high}}};
    emit(of, Opcode::mov, {"b64"}, {halves, pair});
    find_factor(of, high);
    emit(of, Opcode::add, {"u32"}, {high, high, factor});
    emit(of, Opcode::add, {"u32"}, {low, low, factor});
    emit(of, Opcode::mov, {"b64"}, {pair, halves}, of.guard);
  }

  void emit(const ptx::Instruction& of, Opcode opcode, std::vector<std::string> modifiers,
            std::vector<ptx::Operand> operands, const std::optional<ptx::Guard>& guard = std::nullopt) {
    ptx::Instruction made;
    made.guard = guard;
    made.opcode = opcode;
    made.modifiers = std::move(modifiers);
    made.operands = std::move(operands);
    made.source = of.source;
    made.ptx_line = of.ptx_line;
    function_.code.push_back(std::move(made));
  }

  enum Temporary : std::uint8_t { kFactor, kLow, kHigh, kIsFloat, kWindow };
  ptx::Register temporary(Temporary which) {
    if (!first_) {
      first_ = static_cast<std::uint32_t>(function_.registers.size());
      for (const auto& [name, type] : {std::pair{"%doubling.factor", ptx::Type::b32},
                                       {"%doubling.low", ptx::Type::b32},
                                       {"%doubling.high", ptx::Type::b32},
                                       {"%doubling.is_float", ptx::Type::pred},
                                       {"%doubling.window", ptx::Type::pred}})
        function_.registers.push_back({name, type});
    }
    return {*first_ + which};
  }

  ptx::Function& function_;
  Doubled doubled_;
  std::optional<std::uint32_t> first_;   ///< the first of the registers
  std::optional<ptx::Register> window_;  ///< of the current load: whether its generic address is in the space
};

}  // namespace

void double_values(ptx::Module& module, Doubled doubled) {
  if (doubled == Doubled::nothing) return;
  for (ptx::Function& function : module.functions) Doubling(function, doubled).run();
}

}  // namespace vgpu::exec
