// The mapping from matrix elements to the registers of a warp, for the operands of mma, wmma, ldmatrix and
// stmatrix. The PTX ISA manual defines the fragments of mma (9.7.14.5, "Matrix Fragments for mma"). The
// fragments of wmma are not documented; according to measurements on an H200 they consist of adjacent tiles
// of mma's fragments (grader/doc/decisions/0022-tensor-cores.md). Pure arithmetic. Covered by
// tests/vgpu/matrix_fragments_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vgpu::exec {

enum class MatrixUse : std::uint8_t { a, b, accumulator };

/// D (m × n) = A (m × k) · B (k × n) + C (m × n).
struct MatrixShape {
  int m = 0, n = 0, k = 0;

  friend constexpr bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

/// The position of an element in its matrix.
struct Place {
  std::uint8_t row = 0, column = 0;

  friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// The distribution of one operand over 32 lanes. Lane 4 g + t has index t in group g.
struct Fragment {
  MatrixUse use = MatrixUse::a;
  MatrixShape shape;
  int element_bytes = 2;

  constexpr int register_bytes() const { return std::max(element_bytes, 4); }
  /// Elements per register; they are adjacent along k, or along a row of an accumulator.
  constexpr int elements() const { return register_bytes() / element_bytes; }
  constexpr int rows() const { return use == MatrixUse::b ? shape.k : shape.m; }
  constexpr int columns() const { return use == MatrixUse::a ? shape.k : shape.n; }
  /// Registers that a lane needs for its part of the matrix.
  constexpr int registers() const { return rows() * columns() / (32 * elements()); }

  /// The place of element `i` of register `number` of a lane.
  constexpr Place place(int number, int lane, int i) const {
    return is_turned() ? turned(upright(number, lane, i)) : upright(number, lane, i);
  }

 private:
  static constexpr int kTile = 8;       // rows of lanes, and columns of B and of accumulators
  static constexpr int kTallTile = 16;  // rows of A and of accumulators

  /// m8n32 is n8m32 with the parts of A and B exchanged: D' = B' · A'.
  constexpr bool is_turned() const { return shape.m < shape.n && shape.n > kTallTile; }
  static constexpr Place turned(Place place) { return {place.column, place.row}; }

  constexpr Place upright(int number, int lane, int i) const {
    const int g = lane / 4, t = lane % 4;
    const int m = is_turned() ? shape.n : shape.m;
    const int halves = std::min(m, kTallTile) / kTile;  // of a tall tile: rows g and g + 8
    const int k_step = 4 * elements();
    const int k_steps = std::max(shape.k / k_step, 1);
    const bool is_left = is_turned() ? use == MatrixUse::b : use == MatrixUse::a;
    if (use == MatrixUse::accumulator) {
      const int pair = (number * elements() + i) / 2, tile = pair / halves;
      const int tiles_down = std::max(m / kTallTile, 1);
      return at(kTallTile * (tile % tiles_down) + kTile * (pair % halves) + g,
                kTile * (tile / tiles_down) + 2 * t + (number * elements() + i) % 2);
    }
    const int in_tile = number % (k_steps * (is_left ? halves : 1));
    const int tile = number / (k_steps * (is_left ? halves : 1));
    if (is_left)
      return at(kTallTile * tile + kTile * (in_tile % halves) + g,
                k_step * (in_tile / halves) + elements() * t + i);
    return at(k_step * in_tile + elements() * t + i, kTile * tile + g);
  }
  static constexpr Place at(int row, int column) {
    return {static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(column)};
  }
};

}  // namespace vgpu::exec
