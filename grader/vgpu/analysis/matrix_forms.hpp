// The forms of warp-wide matrix instructions: mma and wmma.mma, wmma.load and wmma.store, ldmatrix and
// stmatrix (PTX ISA 9.7.14). Covered by tests/vgpu/{mma,wmma,ldmatrix}_test.cpp.
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
/// nullopt for other instructions.
std::optional<MatrixProduct> matrix_product_of(const ptx::Instruction& instruction);

/// wmma.load and wmma.store as ordinary accesses of a warp, as nvcc 13.0 compiles them for sm_80 and sm_90.
/// (For shared memory with a constant stride, nvcc uses ldmatrix instead.)
struct FragmentAccess {
  enum class Unit : std::uint8_t {
    registers,  ///< one or two registers whose elements are adjacent in memory
    turned,     ///< registers of the transposed 8 × 8 blocks, which movmatrix then transposes
    elements    ///< single bytes, which are then packed
  };

  Fragment fragment;
  bool is_store = false;
  bool is_by_columns = false;  ///< .col
  Unit unit = Unit::registers;
  int registers_per_access = 1;

  int element_bytes() const;  ///< size of one of the registers_per_access elements of an access
  int accesses() const;       ///< accesses per lane
  /// The place of the first element of the lane's access.
  Place place(int access, int lane) const;
  /// The stride of an instruction that names none.
  int default_stride() const { return is_by_columns ? fragment.rows() : fragment.columns(); }
  /// The alignment of the address and the stride that the manual requires, in bytes: the size of a lane's
  /// part
  /// ("Matrix Storage for WMMA"), but at most the 16 bytes that CUDA's C++ API requires.
  int alignment() const { return std::min(fragment.registers() * fragment.register_bytes(), 16); }
};
/// nullopt for other and unsupported instructions.
std::optional<FragmentAccess> fragment_access_of(const ptx::Instruction& instruction);

/// ldmatrix and stmatrix: 8 × 8 matrices of 16 bits, whose rows the lanes 0 to 8 · `matrices` - 1 point to.
struct RowAccess {
  bool is_store = false;
  int matrices = 1;  ///< 1, 2 or 4
  bool is_transposed = false;
};
std::optional<RowAccess> row_access_of(const ptx::Instruction& instruction);

/// True for matrix instructions that access memory; decode_matrix.cpp splits them into several steps.
bool is_matrix_access(const ptx::Instruction& instruction);

/// The source of element `i` of lane `lane` when movmatrix transposes an 8 × 8 block of 16-bit elements, two
/// per lane.
struct LaneElement {
  int lane = 0, element = 0;
};
constexpr LaneElement transposed(int lane, int i) {
  const int row = lane / 4, column = 2 * (lane % 4) + i;
  return {4 * column + row / 2, row % 2};
}

}  // namespace vgpu::exec
