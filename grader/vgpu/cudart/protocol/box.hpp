// The geometry of copies and fills: boxes of rows, wherever they lie. Both ends of the command interface use
// it; the numbers come from the program and are not trusted. Covered by tests/cudart/rows_test.cpp.
#pragma once

#include <initializer_list>
#include <optional>

#include "vgpu/cudart/protocol/protocol.hpp"

namespace vgpu::cudart {

/// Bytes of a box without gaps; nullopt: more than any memory has.
std::optional<std::uint64_t> bytes_of(const Box& box);

/// Bytes from the first to behind the last; nullopt: rows overlap, or the span is more than any memory has.
/// The box is not empty.
std::optional<std::uint64_t> span_of(const Rows& rows, const Box& box);

/// The same bytes in fewer, longer rows where rows touch each other at every place.
Box merged(const Box& box, std::initializer_list<const Rows*> places);

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
