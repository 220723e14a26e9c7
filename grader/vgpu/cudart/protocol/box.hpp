// The geometry of copies and fills: boxes of rows in memory. Both ends of the command interface use it. The
// numbers come from the program and are not trusted. Covered by tests/cudart/rows_test.cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace vgpu::cudart {

/// `depth` slices of `height` rows of `width` bytes.
struct Box {
  std::uint64_t width = 0, height = 1, depth = 1;
  void fields(auto& archive) { archive(width, height, depth); }
};

/// Where the rows of a box are: row r of slice s starts at address + (s × slice_rows + r) × pitch.
struct Rows {
  std::uint64_t address = 0, pitch = 0, slice_rows = 0;
  void fields(auto& archive) { archive(address, pitch, slice_rows); }
};

/// The number of bytes in the rows of a box, without gaps. nullopt if no memory is that large.
std::optional<std::uint64_t> bytes_of(const Box& box);

/// The distance from the first byte to the end of the last row, for a box that is not empty. nullopt if rows
/// overlap or if no memory is that large.
std::optional<std::uint64_t> span_of(const Rows& rows, const Box& box);

/// Describes the same bytes with fewer, longer rows, if neighbouring rows have no gap at any of `places`.
Box merged(const Box& box, std::initializer_list<const Rows*> places);

/// The address of a row. For rows that come from a program, call span_of() first to rule out overflows.
inline std::uint64_t row_address(const Rows& rows, std::uint64_t slice, std::uint64_t row) {
  return rows.address + (slice * rows.slice_rows + row) * rows.pitch;
}

/// Calls visit(slice, row) for every row.
template <class Visit>
void for_rows(const Box& box, Visit visit) {
  for (std::uint64_t slice = 0; slice < box.depth; ++slice)
    for (std::uint64_t row = 0; row < box.height; ++row) visit(slice, row);
}

}  // namespace vgpu::cudart
