#include "vgpu/analysis/matrix_forms.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

/// Parses "m16n8k16".
std::optional<MatrixShape> shape_named(std::string_view word) {
  MatrixShape shape;
  const auto take = [&](char letter, int& size) {
    if (word.empty() || word.front() != letter) return false;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), size);
    if (error != std::errc{}) return false;
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
    return true;
  };
  const bool is_shape = take('m', shape.m) && take('n', shape.n) && take('k', shape.k) && word.empty();
  return is_shape ? std::optional(shape) : std::nullopt;
}

std::optional<MatrixShape> shape_of(const ptx::Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto shape = shape_named(modifier)) return shape;
  }
  return std::nullopt;
}

bool begins_with(const ptx::Instruction& instruction, ptx::Opcode opcode, std::string_view modifier) {
  return instruction.opcode == opcode && !instruction.modifiers.empty() &&
         instruction.modifiers.front() == modifier;
}

/// Bytes per element in the fragments of wmma; 0 if the type is not supported.
int element_bytes_of(std::string_view type) {
  if (type == "s8" || type == "u8") return 1;
  if (type == "f16" || type == "bf16") return 2;
  if (type == "f32" || type == "s32" || type == "tf32") return 4;
  return type == "f64" ? 8 : 0;
}

bool is_shape_of_wmma(const MatrixShape& shape, std::string_view type) {
  // The shapes of PTX ISA, "Matrix Shape", for wmma.
  const bool is_accumulator_of_16 = type == "f32" || type == "s32" || type == "f16";
  const bool is_of_16 =
      shape == MatrixShape{16, 16, 16} || shape == MatrixShape{32, 8, 16} || shape == MatrixShape{8, 32, 16};
  if (type == "f64") return shape == MatrixShape{8, 8, 4};
  if (type == "tf32") return shape == MatrixShape{16, 16, 8};
  if (type == "f32" && shape == MatrixShape{16, 16, 8}) return true;
  return is_of_16 && (is_accumulator_of_16 || type == "bf16" || type == "s8" || type == "u8");
}

std::optional<MatrixUse> use_named(std::string_view word) {
  if (word == "a") return MatrixUse::a;
  if (word == "b") return MatrixUse::b;
  return word == "c" || word == "d" ? std::optional(MatrixUse::accumulator) : std::nullopt;
}

/// True if the second place directly follows the first in memory.
bool is_next(Place first, Place second, bool is_by_columns) {
  return is_by_columns ? second.column == first.column && second.row == first.row + 1
                       : second.row == first.row && second.column == first.column + 1;
}

void choose_unit(FragmentAccess& access) {
  const Fragment& fragment = access.fragment;
  const Place first = fragment.place(0, 0, 0);
  if (fragment.elements() > 1) {
    if (is_next(first, fragment.place(0, 0, 1), access.is_by_columns)) return;
    access.unit = fragment.element_bytes == 1 ? FragmentAccess::Unit::elements : FragmentAccess::Unit::turned;
  } else if (fragment.registers() > 1 && is_next(first, fragment.place(1, 0, 0), access.is_by_columns)) {
    access.registers_per_access = 2;
  }
}

}  // namespace

std::optional<MatrixProduct> matrix_product_of(const ptx::Instruction& instruction) {
  using Factors = MatrixProduct::Factors;
  if (instruction.opcode != ptx::Opcode::mma && !begins_with(instruction, ptx::Opcode::wmma, "mma"))
    return std::nullopt;
  const auto shape = shape_of(instruction);
  if (!shape) return std::nullopt;
  const auto has = [&](std::string_view type) { return has_modifier(instruction, type); };
  const Factors factors = has("f64")               ? Factors::doubles
                          : has("tf32")            ? Factors::tf32
                          : has("s8") || has("u8") ? Factors::bytes
                                                   : Factors::halves;
  return MatrixProduct{*shape, factors};
}

int FragmentAccess::element_bytes() const {
  return unit == Unit::elements ? fragment.element_bytes : fragment.register_bytes();
}

int FragmentAccess::accesses() const {
  return unit == Unit::elements ? fragment.registers() * fragment.elements()
                                : fragment.registers() / registers_per_access;
}

Place FragmentAccess::place(int access, int lane) const {
  switch (unit) {
    case Unit::turned: {
      const LaneElement from = transposed(lane, 0);
      return fragment.place(access, from.lane, from.element);
    }
    case Unit::elements:
      return fragment.place(access / fragment.elements(), lane, access % fragment.elements());
    default:
      return fragment.place(access * registers_per_access, lane, 0);
  }
}

/// wmma.load.a.sync.aligned.row.m16n16k16.global.f16, wmma.store.d.sync.aligned.col.m16n16k16.f32
std::optional<FragmentAccess> fragment_access_of(const ptx::Instruction& instruction) {
  const bool is_load = begins_with(instruction, ptx::Opcode::wmma, "load");
  const auto& modifiers = instruction.modifiers;
  if ((!is_load && !begins_with(instruction, ptx::Opcode::wmma, "store")) || modifiers.size() < 6)
    return std::nullopt;
  const auto use = use_named(modifiers[1]);
  const auto shape = shape_of(instruction);
  const std::string& type = modifiers.back();
  const bool is_accumulator = type == "f32" || type == "s32";
  const int element_bytes = element_bytes_of(type);
  if (!use || !shape || element_bytes == 0 || !is_shape_of_wmma(*shape, type)) return std::nullopt;
  // These types exist both for factors and for accumulators; the others for one of them only.
  const bool is_either = type == "f16" || type == "f64";
  if (!is_either && is_accumulator != (*use == MatrixUse::accumulator)) return std::nullopt;
  FragmentAccess access{.fragment = {*use, *shape, element_bytes},
                        .is_store = !is_load,
                        .is_by_columns = has_modifier(instruction, "col")};
  choose_unit(access);
  return access;
}

/// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
std::optional<RowAccess> row_access_of(const ptx::Instruction& instruction) {
  const bool is_store = instruction.traits().access == ptx::Access::matrix_store;
  if (!is_store && instruction.traits().access != ptx::Access::matrix_load) return std::nullopt;
  if (!has_modifier(instruction, "m8n8") || !has_modifier(instruction, "b16")) return std::nullopt;
  for (const auto& [name, matrices] : {std::pair{"x1", 1}, std::pair{"x2", 2}, std::pair{"x4", 4}}) {
    if (has_modifier(instruction, name))
      return RowAccess{is_store, matrices, has_modifier(instruction, "trans")};
  }
  return std::nullopt;
}

bool is_matrix_access(const ptx::Instruction& instruction) {
  const ptx::Access access = instruction.traits().access;
  return access == ptx::Access::matrix_load || access == ptx::Access::matrix_store ||
         begins_with(instruction, ptx::Opcode::wmma, "load") ||
         begins_with(instruction, ptx::Opcode::wmma, "store");
}

}  // namespace vgpu::exec
