// Regions at the end of an array: its last rows and columns. Covered by tests/judge/edge_region_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/array.hpp"

namespace grader {

/// The rows from first_row on and the columns from first_column on. If first_row is `rows` (first_column is
/// `columns`), the region has none. A vector has one row.
struct Region {
  std::size_t rows, columns, first_row, first_column;
  bool is_of_vector = false;

  bool has_rows() const { return first_row < rows; }
  bool has_columns() const { return first_column < columns; }
  std::size_t size() const { return rows * columns - first_row * first_column; }
  bool contains(std::size_t index) const {
    return index / columns >= first_row || index % columns >= first_column;
  }
};

/// "the last 4 rows (from row 96 on) and the last column (column 64)"
std::string to_string(const Region& region);

/// The last rows or columns, from a multiple of a usual tile width to the end, if all `elements` (ascending)
/// are in that region and fill most of it. For a vector also the elements from number `covered` on, for which
/// the launch has no threads; 0: unknown.
std::optional<Region> edge_region(const Shape& shape, const std::vector<std::size_t>& elements,
                                  std::size_t covered = 0);

/// The same if the region has that many elements, of vectors from any index on: proof enough where so many
/// were left out.
std::optional<Region> edge_region_of_size(const Shape& shape, const std::vector<std::size_t>& elements,
                                          std::size_t size);

/// The last rows or columns, from any index on, if `elements` (ascending) are exactly that region and not the
/// whole array.
std::optional<Region> last_rows_or_columns(const Shape& shape, const std::vector<std::size_t>& elements);

/// Rows, or elements of a vector, that are missing again and again, at a fixed distance.
struct RepeatedGap {
  const char* unit;  ///< "rows", "elements"
  std::size_t first, count, period;
};

/// "rows 8 to 15 of every 16"
std::string to_string(const RepeatedGap& gap);

/// If `elements` (ascending) are exactly such rows, and are missing at least twice.
std::optional<RepeatedGap> repeated_gap(const Shape& shape, const std::vector<std::size_t>& elements);

}  // namespace grader
