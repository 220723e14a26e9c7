// What the instructions on matrices that a warp holds together say of themselves: mma and wmma.mma, wmma.load
// and wmma.store, ldmatrix and stmatrix (PTX ISA 9.7.14). Covered by tests/vgpu/{mma,wmma,ldmatrix}_test.cpp.
#pragma once

#include <optional>

#include "vgpu/analysis/matrix_fragments.hpp"
#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// mma and wmma.mma.
struct MatrixProduct {
  enum class Factors : std::uint8_t { halves, tf32, bytes, doubles };

  MatrixShape shape;
  Factors factors = Factors::halves;

  bool is_of_integers() const { return factors == Factors::bytes; }
};
/// nullopt: no such instruction.
std::optional<MatrixProduct> matrix_product_of(const ptx::Instruction& instruction);

/// wmma.load and wmma.store, as ordinary accesses of a warp: how nvcc 13.0 compiles them for sm_80 and sm_90,
/// but for shared memory with a constant stride, where it takes ldmatrix.
struct FragmentAccess {
  enum class Unit : std::uint8_t {
    registers,  ///< one or two of them, whose elements follow each other in memory
    turned,     ///< registers of the transposed 8 × 8 blocks, which then change places: movmatrix
    elements    ///< single bytes, which are then packed
  };

  Fragment fragment;
  bool is_store = false;
  bool is_by_columns = false;  ///< .col
  Unit unit = Unit::registers;
  int registers_at_once = 1;

  int element_bytes() const;  ///< of an access's elements, of which it has registers_at_once
  int accesses() const;       ///< of each lane
  /// Where the lane's access begins.
  Place place(int access, int lane) const;
  /// If the instruction names none.
  int default_stride() const { return is_by_columns ? fragment.rows() : fragment.columns(); }
  /// That the manual wants of the address and the stride, bytes: the size of a lane's part ("Matrix Storage
  /// for WMMA"), but no more than the 16 that CUDA's C++ API is content with.
  int alignment() const { return std::min(fragment.registers() * fragment.register_bytes(), 16); }
};
/// nullopt: not one that is supported.
std::optional<FragmentAccess> fragment_access_of(const ptx::Instruction& instruction);

/// ldmatrix and stmatrix: 8 × 8 matrices of 16 bits, whose rows lanes 0 to 8 `matrices` - 1 point to.
struct RowAccess {
  bool is_store = false;
  int matrices = 1;  ///< 1, 2 or 4
  bool is_transposed = false;
};
std::optional<RowAccess> row_access_of(const ptx::Instruction& instruction);

/// Instructions on memory that are made of several steps (decode_matrix.cpp).
bool is_matrix_access(const ptx::Instruction& instruction);

/// The lane and the element of a register that hold what belongs into lane `lane`, element `i`, if 8 × 8
/// blocks of 16-bit elements, two in each lane, are transposed (movmatrix).
struct LaneElement {
  int lane = 0, element = 0;
};
constexpr LaneElement transposed(int lane, int i) {
  const int row = lane / 4, column = 2 * (lane % 4) + i;
  return {4 * column + row / 2, row % 2};
}

}  // namespace vgpu::exec
