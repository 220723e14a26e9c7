// Determines whether all wrong elements are beyond the last full tile.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "judge/patterns.hpp"

namespace grader {
namespace {

constexpr std::array<std::size_t, 8> kTileWidths{8, 16, 32, 64, 128, 256, 512, 1024};
/// If wrong elements fill less than this share of the region, their position proves nothing.
constexpr double kMinFilled = 0.75;

/// The rows from first_row on and the columns from first_column on. If first_row is `rows` (first_column is
/// `columns`), the region has none.
struct Region {
  std::size_t rows, columns, first_row, first_column;

  std::size_t size() const { return rows * columns - first_row * first_column; }
  bool contains(std::size_t index) const {
    return index / columns >= first_row || index % columns >= first_column;
  }
  bool is_filled_by(const std::vector<std::size_t>& elements) const {
    return static_cast<double>(elements.size()) >= kMinFilled * static_cast<double>(size()) &&
           std::all_of(elements.begin(), elements.end(), [&](std::size_t e) { return contains(e); });
  }
};

std::string last_of(const char* what, std::size_t count, std::size_t first) {
  const std::size_t many = count - first;
  return many == 1 ? fmt::format("the last {} ({} {})", what, what, first)
                   : fmt::format("the last {} {}s (from {} {} on)", many, what, what, first);
}

std::string describe(const Region& region, bool is_vector) {
  const bool has_rows = region.first_row < region.rows;
  const bool has_columns = region.first_column < region.columns;
  const char* column = is_vector ? "element" : "column";
  std::string text = has_rows ? last_of("row", region.rows, region.first_row) : "";
  if (has_rows && has_columns) text += " and ";
  if (has_columns) text += last_of(column, region.columns, region.first_column);
  return text;
}

/// First element of the partial tile; `extent` if there is no full tile before it or no element after the
/// last full tile.
std::size_t tail_start(std::size_t extent, std::size_t width) {
  const std::size_t start = extent / width * width;
  return start == 0 ? extent : start;
}

}  // namespace

std::optional<std::string> edge_region(const Shape& shape, const std::vector<std::size_t>& elements) {
  if (shape.empty() || shape.size() > 2 || elements.empty()) return std::nullopt;
  const bool is_vector = shape.size() == 1;
  const std::size_t rows = is_vector ? 1 : shape[0];
  const std::size_t columns = shape.back();
  std::optional<Region> best;
  for (const std::size_t width : kTileWidths) {
    const std::size_t row = tail_start(rows, width), column = tail_start(columns, width);
    for (const Region& region : {Region{rows, columns, row, columns}, Region{rows, columns, rows, column},
                                 Region{rows, columns, row, column}}) {
      const bool is_proper = region.size() > 0 && region.size() < rows * columns;
      if (!is_proper || (best && best->size() <= region.size())) continue;
      if (region.is_filled_by(elements)) best = region;
    }
  }
  if (!best) return std::nullopt;
  return describe(*best, is_vector);
}

}  // namespace grader
