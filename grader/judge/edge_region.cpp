#include "judge/edge_region.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace grader {
namespace {

constexpr std::array<std::size_t, 8> kTileWidths{8, 16, 32, 64, 128, 256, 512, 1024};
/// If wrong elements fill less than this share of the region, their position proves nothing.
constexpr double kMinFilled = 0.75;

bool are_inside(const Region& region, const std::vector<std::size_t>& elements) {
  return std::all_of(elements.begin(), elements.end(), [&](std::size_t e) { return region.contains(e); });
}

bool is_filled_by(const Region& region, const std::vector<std::size_t>& elements) {
  return static_cast<double>(elements.size()) >= kMinFilled * static_cast<double>(region.size()) &&
         are_inside(region, elements);
}

std::string last_of(const char* what, std::size_t count, std::size_t first) {
  const std::size_t many = count - first;
  return many == 1 ? fmt::format("the last {} ({} {})", what, what, first)
                   : fmt::format("the last {} {}s (from {} {} on)", many, what, what, first);
}

/// First element of the partial tile; `extent` if there is no full tile before it or no element after the
/// last full tile.
std::size_t tail_start(std::size_t extent, std::size_t width) {
  const std::size_t start = extent / width * width;
  return start == 0 ? extent : start;
}

/// The empty region; nullopt if arrays of this shape have neither rows nor columns.
std::optional<Region> nothing_of(const Shape& shape) {
  if (shape.empty() || shape.size() > 2) return std::nullopt;
  const bool is_vector = shape.size() == 1;
  const std::size_t rows = is_vector ? 1 : shape[0];
  return Region{rows, shape.back(), rows, shape.back(), is_vector};
}

/// The partial tiles of each usual width: the last columns, the last rows, or both.
std::vector<Region> tails_of(const Shape& shape) {
  std::vector<Region> tails;
  const auto nothing = nothing_of(shape);
  if (!nothing) return tails;
  const auto [rows, columns, no_row, no_column, is_vector] = *nothing;
  for (const std::size_t width : kTileWidths) {
    const std::size_t row = tail_start(rows, width), column = tail_start(columns, width);
    for (const Region& region :
         {Region{rows, columns, no_row, column, is_vector}, Region{rows, columns, row, no_column, is_vector},
          Region{rows, columns, row, column, is_vector}})
      if (region.size() > 0 && region.size() < rows * columns) tails.push_back(region);
  }
  return tails;
}

}  // namespace

std::string to_string(const Region& region) {
  std::string text = region.has_rows() ? last_of("row", region.rows, region.first_row) : "";
  if (region.has_rows() && region.has_columns()) text += " and ";
  if (region.has_columns())
    text += last_of(region.is_of_vector ? "element" : "column", region.columns, region.first_column);
  return text;
}

std::optional<Region> edge_region(const Shape& shape, const std::vector<std::size_t>& elements,
                                  std::size_t covered) {
  if (elements.empty()) return std::nullopt;
  // The smallest region that fits explains most.
  std::optional<Region> best;
  for (const Region& region : tails_of(shape))
    if ((!best || region.size() < best->size()) && is_filled_by(region, elements)) best = region;
  const auto nothing = nothing_of(shape);
  if (best || !nothing || !nothing->is_of_vector || covered == 0 || covered >= nothing->columns) return best;
  const Region uncovered{nothing->rows, nothing->columns, nothing->first_row, covered, true};
  return is_filled_by(uncovered, elements) ? std::optional(uncovered) : std::nullopt;
}

std::optional<Region> edge_region_of_size(const Shape& shape, const std::vector<std::size_t>& elements,
                                          std::size_t size) {
  std::vector<Region> regions = tails_of(shape);
  if (shape.size() == 1 && size < shape[0]) regions.push_back({1, shape[0], 1, shape[0] - size, true});
  for (const Region& region : regions)
    if (region.size() == size && are_inside(region, elements)) return region;
  return std::nullopt;
}

std::optional<Region> last_rows_or_columns(const Shape& shape, const std::vector<std::size_t>& elements) {
  auto region = nothing_of(shape);
  if (!region || elements.empty()) return std::nullopt;
  // A row is in the region as a whole, and every other row has the region's columns only.
  std::vector<std::size_t> count_in_row(region->rows), count_in_column(region->columns);
  for (const std::size_t e : elements) {
    ++count_in_row[e / region->columns];
    ++count_in_column[e % region->columns];
  }
  while (region->first_row > 0 && count_in_row[region->first_row - 1] == region->columns) --region->first_row;
  while (region->first_column > 0 && count_in_column[region->first_column - 1] == region->rows)
    --region->first_column;
  const bool is_part = region->size() < region->rows * region->columns;
  return is_part && region->size() == elements.size() && are_inside(*region, elements) ? region
                                                                                       : std::nullopt;
}

std::string to_string(const RepeatedGap& gap) {
  if (gap.count == 1) return fmt::format("number {} of every {} {}", gap.first, gap.period, gap.unit);
  return fmt::format("{} {} to {} of every {}", gap.unit, gap.first, gap.first + gap.count - 1, gap.period);
}

std::optional<RepeatedGap> repeated_gap(const Shape& shape, const std::vector<std::size_t>& elements) {
  if (shape.empty() || shape.size() > 2) return std::nullopt;
  const std::size_t rows = shape[0], columns = shape.size() == 2 ? shape[1] : 1;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < elements.size(); i += columns) {
    const std::size_t row = elements[i] / columns;
    const bool is_whole = elements[i] == row * columns && i + columns <= elements.size() &&
                          elements[i + columns - 1] == row * columns + columns - 1;
    if (!is_whole) return std::nullopt;
    missing.push_back(row);
  }
  // The first run of missing rows, and the next one, give the count and the period.
  std::size_t count = 1;
  while (count < missing.size() && missing[count] == missing[0] + count) ++count;
  if (count >= missing.size()) return std::nullopt;
  const RepeatedGap gap{shape.size() == 2 ? "rows" : "elements", missing[0], count,
                        missing[count] - missing[0]};
  if (gap.first + gap.count > gap.period) return std::nullopt;
  std::size_t found = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t place = row % gap.period;
    if (place < gap.first || place >= gap.first + gap.count) continue;
    if (found == missing.size() || missing[found++] != row) return std::nullopt;
  }
  return found == missing.size() ? std::optional(gap) : std::nullopt;
}

}  // namespace grader
