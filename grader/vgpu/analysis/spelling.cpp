#include "vgpu/analysis/spelling.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace vgpu::exec {
namespace {

using namespace std::string_view_literals;

constexpr std::array kOrders{"volatile"sv, "relaxed"sv, "acquire"sv, "release"sv, "acq_rel"sv, "mmio"sv};
constexpr std::array kHints{"weak"sv, "nc"sv, "cta"sv, "gpu"sv, "sys"sv, "cluster"sv, "ca"sv,         "cg"sv,
                            "cs"sv,   "lu"sv, "cv"sv,  "wb"sv,  "wt"sv,  "noftz"sv,   "evict_first"sv};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Instructions that have modifiers for memory order, scope and caches.
bool has_access_modifiers(ptx::Access access) {
  switch (access) {
    case ptx::Access::load:
    case ptx::Access::store:
    case ptx::Access::atomic:
    case ptx::Access::reduction:
    case ptx::Access::async_copy:
    case ptx::Access::barrier_object:
      return true;
    case ptx::Access::none:
    case ptx::Access::texture_fetch:
    case ptx::Access::surface_load:
    case ptx::Access::surface_store:
    case ptx::Access::matrix_load:
    case ptx::Access::matrix_store:
    case ptx::Access::prefetch:
      return false;
  }
  return false;
}

bool makes_no_difference(const ptx::Instruction& instruction, std::string_view modifier) {
  if (has_access_modifiers(instruction.traits().access)) {
    return is_one_of(kOrders, modifier) || is_one_of(kHints, modifier) || modifier.starts_with("L1::") ||
           modifier.starts_with("L2::");
  }
  const bool is_jump = instruction.opcode == ptx::Opcode::bra || instruction.opcode == ptx::Opcode::call ||
                       instruction.opcode == ptx::Opcode::ret;
  return modifier == "aligned" || (is_jump && modifier == "uni");
}

}  // namespace

std::string table_name(const ptx::Instruction& instruction) {
  const bool is_uniform_load = instruction.opcode == ptx::Opcode::ldu;
  std::string name(is_uniform_load ? traits_of(ptx::Opcode::ld).spelling : instruction.opcode_text());
  for (const std::string& modifier : instruction.modifiers) {
    if (makes_no_difference(instruction, modifier)) continue;
    // "shared::cta" and "shared" are synonyms; "param::entry" and "param::func" follow from the symbol.
    name += '.' + modifier.substr(0, modifier.find("::"));
  }
  const bool selects = instruction.opcode == ptx::Opcode::min || instruction.opcode == ptx::Opcode::max;
  if (selects && instruction.operands.size() == 4) name += ".3";
  return name;
}

bool has_modifier(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) !=
         instruction.modifiers.end();
}

bool is_strong(const ptx::Instruction& instruction) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](const std::string& modifier) { return is_one_of(kOrders, modifier); });
}

ptx::Space space_of(const ptx::Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    const std::string_view word = std::string_view(modifier).substr(0, modifier.find("::"));
    if (word == "global") return ptx::Space::global;
    if (word == "shared") return ptx::Space::shared;
    if (word == "local") return ptx::Space::local;
    if (word == "const") return ptx::Space::constant;
    if (word == "param") return ptx::Space::param;
  }
  return ptx::Space::generic;
}

ptx::Type type_of(const ptx::Instruction& instruction) {
  using ptx::Type;
  constexpr std::array<std::pair<std::string_view, Type>, 17> kTypes{{{"pred", Type::pred},
                                                                      {"b8", Type::b8},
                                                                      {"b16", Type::b16},
                                                                      {"b32", Type::b32},
                                                                      {"b64", Type::b64},
                                                                      {"u8", Type::u8},
                                                                      {"u16", Type::u16},
                                                                      {"u32", Type::u32},
                                                                      {"u64", Type::u64},
                                                                      {"s8", Type::s8},
                                                                      {"s16", Type::s16},
                                                                      {"s32", Type::s32},
                                                                      {"s64", Type::s64},
                                                                      {"f16", Type::f16},
                                                                      {"f16x2", Type::f16x2},
                                                                      {"f32", Type::f32},
                                                                      {"f64", Type::f64}}};
  for (auto modifier = instruction.modifiers.rbegin(); modifier != instruction.modifiers.rend(); ++modifier) {
    for (const auto& [name, type] : kTypes) {
      if (name == *modifier) return type;
    }
  }
  return Type::none;
}

bool is_clock(const ptx::SpecialRegister& reg) {
  return reg.name.starts_with("clock") || reg.name.starts_with("globaltimer");
}

bool reads_clock(const ptx::Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::mov || instruction.operands.size() != 2) return false;
  const auto* special = std::get_if<ptx::SpecialRegister>(&instruction.operands[1].value);
  return special != nullptr && is_clock(*special);
}

}  // namespace vgpu::exec
