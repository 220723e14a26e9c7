// Loops in which each lane of a warp reads along a row of its own, of memory to which the launch does not
// store (unstored_memory.hpp): as long as the loads continue the rows, only their number is kept, and the
// rows are marked once. Covered by tests/vgpu/unstored_memory_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "vgpu/check/row_loads.hpp"

namespace vgpu::exec {

class UnstoredRows {
 public:
  /// The lanes load one element each; `address`: of the first lane. Calls mark(address, size_bytes) for
  /// rows that end.
  template <class Mark>
  void add(const RowShape& shape, std::uint64_t address, Mark mark) {
    for (Rows& rows : rows_) {
      if (rows.end != address || !(rows.shape == shape)) continue;
      rows.end += shape.bytes;
      return;
    }
    Rows& rows = rows_[oldest_];
    oldest_ = (oldest_ + 1) % rows_.size();
    take(rows, mark);
    rows = {shape, address, address + shape.bytes};
  }

  /// Ends all rows.
  template <class Mark>
  void take_all(Mark mark) {
    for (Rows& rows : rows_) take(rows, mark);
  }

 private:
  struct Rows {
    RowShape shape;
    std::uint64_t start = 0, end = 0;  ///< of the first lane's row; both 0: none
  };

  template <class Mark>
  static void take(Rows& rows, Mark mark) {
    if (rows.end == 0) return;
    const auto lanes = static_cast<unsigned>(std::popcount(rows.shape.mask));
    const unsigned count = std::min<unsigned>(rows.shape.period, (lanes - 1) / rows.shape.width + 1);
    for (unsigned i = 0; i < count; ++i) mark(rows.start + i * rows.shape.stride, rows.end - rows.start);
    rows = {};
  }

  std::array<Rows, 4> rows_;
  std::size_t oldest_ = 0;
};

}  // namespace vgpu::exec
