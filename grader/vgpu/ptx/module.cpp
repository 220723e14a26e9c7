#include "vgpu/ptx/module.hpp"

#include <iterator>

namespace vgpu::ptx {
namespace {

struct TypeEntry {
  std::string_view name;
  std::size_t size_bytes;
};

// By the value of Type.
constexpr TypeEntry kTypes[] = {
    {"", 0},    {"pred", 0}, {"b8", 1},  {"b16", 2},   {"b32", 4}, {"b64", 8},
    {"u8", 1},  {"u16", 2},  {"u32", 4}, {"u64", 8},   {"s8", 1},  {"s16", 2},
    {"s32", 4}, {"s64", 8},  {"f16", 2}, {"f16x2", 4}, {"f32", 4}, {"f64", 8},
};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::f64) + 1);

}  // namespace

std::size_t size_of(Type type) { return kTypes[static_cast<std::size_t>(type)].size_bytes; }

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::optional<Type> type_named(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kTypes); ++i) {
    if (kTypes[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view Instruction::opcode_text() const {
  return opcode == Opcode::unknown ? std::string_view(unknown_opcode) : traits().spelling;
}

std::string Instruction::spelled() const {
  std::string text(opcode_text());
  for (const std::string& modifier : modifiers) text.append(1, '.').append(modifier);
  return text;
}

}  // namespace vgpu::ptx
