#include "judge/coverage.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "judge/wording.hpp"

namespace grader {
namespace {

std::size_t ceil_div(std::size_t extent, std::size_t part) { return (extent + part - 1) / part; }

/// One direction of the output: how many rows or columns it has, and how many of them were stored.
struct Direction {
  const char* name;  ///< "column"
  char axis;         ///< of the grid that counts blocks in this direction
  std::size_t blocks, threads, extent, stored;
  /// The rows or columns that a block can be meant to store. Blocks of a transpose often handle square tiles,
  /// with fewer threads along y.
  std::size_t tile = threads;

  bool is_short() const { return stored < extent; }
  bool is_of_vector() const { return name == std::string_view("element"); }
  bool is_covered() const { return blocks * tile >= extent; }
  /// Rows or columns that a block stores; 0 if the stored ones do not end with a block.
  std::size_t share() const {
    if (!is_short()) return threads;
    return stored % blocks == 0 && stored / blocks % threads == 0 ? stored / blocks : 0;
  }
};

struct Directions {
  Direction rows, columns;
};

/// `x_counts_columns` is false for kernels whose blockIdx.x belongs to the output's rows: transposes.
Directions directions_of(const Region& region, const LaunchExtents& launch, bool x_counts_columns) {
  const auto [gx, gy] = std::pair<std::size_t, std::size_t>(launch.grid.x, launch.grid.y);
  const auto [bx, by] = std::pair<std::size_t, std::size_t>(launch.block.x, launch.block.y);
  const char* column = region.is_of_vector ? "element" : "column";
  if (x_counts_columns)
    return {{"row", 'y', gy, by, region.rows, region.first_row},
            {column, 'x', gx, bx, region.columns, region.first_column}};
  const std::size_t tile = std::max(bx, by);
  return {{"row", 'x', gx, by, region.rows, region.first_row, tile},
          {column, 'y', gy, bx, region.columns, region.first_column, tile}};
}

/// The grid would fit exactly if its two extents were exchanged.
bool is_swapped(const Directions& grid) {
  const auto& rows = grid.rows;
  const auto& columns = grid.columns;
  if (rows.blocks == columns.blocks) return false;
  const auto fits = [&](std::size_t row_share, std::size_t column_share) {
    return row_share > 0 && column_share > 0 && ceil_div(rows.extent, row_share) == columns.blocks &&
           ceil_div(columns.extent, column_share) == rows.blocks;
  };
  // In the direction that is stored completely a block's share is unknown: a row for each thread, or a
  // square.
  if (rows.is_short() && columns.is_short()) return fits(rows.share(), columns.share());
  return rows.is_short() ? fits(rows.share(), columns.threads) || fits(rows.share(), rows.share())
                         : fits(rows.threads, columns.share()) || fits(columns.share(), columns.share());
}

GapAdvice swapped(const Directions& grid) {
  const auto& [rows, columns] = grid;
  const Direction& x = columns.axis == 'x' ? columns : rows;
  const Direction& y = columns.axis == 'x' ? rows : columns;
  return {
      fmt::format("grid.x and grid.y are swapped: the grid has {} × {} blocks (x × y), but {} {}s need {} "
                  "along x, and {} {}s need {} along y",
                  x.blocks, y.blocks, x.extent, x.name, y.blocks, y.extent, y.name, x.blocks),
      fmt::format("dim3 takes x first: pass the number of blocks for the {}s, then the number for the {}s",
                  x.name, y.name),
      true};
}

GapAdvice too_few_blocks(const Direction& direction) {
  const auto& [name, axis, blocks, threads, extent, stored, tile] = direction;
  const std::size_t share = direction.share();
  const bool is_rounded = blocks == extent / share;
  return {fmt::format("the grid is too small: its {} along {} cover{} {} of {} {}s{}",
                      counted(blocks, "block"), axis, blocks == 1 ? "s" : "", stored, extent, name,
                      is_rounded ? ", because their number is rounded down" : ""),
          fmt::format("launch {} blocks along {}: lab::ceil_div({}, {}) rounds up", ceil_div(extent, share),
                      axis, extent, share),
          true};
}

/// `fits_if_transposed`: the grid's extents would be swapped if blockIdx.x belonged to the output's rows.
GapAdvice strict_guard(const Direction& direction, std::size_t other_extent, bool is_transpose,
                       bool fits_if_transposed) {
  const char* other = direction.name == std::string_view("row") ? "column" : "row";
  std::string cause = fmt::format("the grid covers all {} {}s, but a guard stops threads from {} {} onwards",
                                  direction.extent, direction.name, direction.name, direction.stored);
  if (direction.stored == other_extent && !direction.is_of_vector())
    cause += fmt::format(
        ": it compares the {0} with {1}, the number of {2}s, or the {0} is computed with that number",
        direction.name, other_extent, other);
  else
    cause += fmt::format(
        ", or the index of the {} does not count every thread, because blockIdx or threadIdx "
        "is missing from it",
        direction.name);
  if (is_transpose)
    cause += fmt::format(
        "; or the store's index does not exchange blockIdx.x and blockIdx.y{}",
        direction.tile > direction.threads ? ", or a block does not store all rows of its tile" : "");
  if (fits_if_transposed) cause += "; if blockIdx.x counts rows, grid.x and grid.y are swapped instead";
  return {std::move(cause),
          fmt::format("let threads store wherever the {} is less than {}", direction.name, direction.extent)};
}

std::optional<GapAdvice> advice_on_grid(const Directions& grid) {
  if (is_swapped(grid)) return swapped(grid);
  for (const Direction* one : {&grid.rows, &grid.columns})
    if (one->is_short() && !one->is_covered() && one->share() > 0) return too_few_blocks(*one);
  return std::nullopt;
}

/// Each block stores a row, and its threads reach only some of the columns.
GapAdvice short_rows(const Direction& columns) {
  return {
      fmt::format("each block stores one row, but its {} threads store only {} of {} columns: no loop lets "
                  "a thread store several columns, or the loop or a guard ends at column {}",
                  columns.threads, columns.stored, columns.extent, columns.stored),
      fmt::format("let each thread store every {}th column, in a loop that ends at column {}",
                  columns.threads, columns.extent)};
}

/// Of a launch in one dimension that fills a matrix, the y direction shows nothing. It covers the matrix if
/// it has a block for each row, or a thread for each element.
std::optional<GapAdvice> advice_on_flat_launch(const Region& region, const LaunchExtents& launch) {
  const std::size_t blocks = launch.grid.x, threads = launch.block.x;
  const std::size_t elements = region.rows * region.columns;
  if (blocks * threads == elements - region.size() && blocks != region.rows)
    return GapAdvice{
        fmt::format("the grid is too small: its {} × {} = {} threads store one element each, and "
                    "the output has {}",
                    blocks, threads, blocks * threads, elements),
        fmt::format("launch {} blocks of {} threads, or let each thread store several elements",
                    ceil_div(elements, threads), threads),
        true};
  if (blocks != region.rows && blocks * threads < elements) return std::nullopt;
  const auto& [rows, columns] = directions_of(region, launch, true);
  const bool is_row_per_block = blocks == region.rows && threads < region.columns;
  if (is_row_per_block && columns.is_short() && columns.stored % threads == 0) return short_rows(columns);
  return columns.is_short() ? strict_guard(columns, rows.extent, false, false)
                            : strict_guard(rows, columns.extent, false, false);
}

/// One thread of each block, or of each warp, stores an element of a vector.
std::optional<GapAdvice> advice_on_single_stores(const Region& region, const LaunchExtents& launch) {
  constexpr std::size_t kWarpLanes = 32;
  const std::size_t blocks = launch.grid.count(), warps = ceil_div(launch.block.count(), kWarpLanes);
  const std::size_t stored = region.first_column, extent = region.columns;
  if (stored == blocks)
    return GapAdvice{fmt::format("the grid has {}, and each block stores one element, but the output has {}: "
                                 "the number of blocks is rounded down, or a block handles too many inputs",
                                 counted(blocks, "block"), extent),
                     fmt::format("launch {} blocks, one per element; lab::ceil_div rounds up", extent), true};
  if (stored == blocks * warps)
    return GapAdvice{
        fmt::format("the grid has {} of {}, and each warp stores one element, but the output has {}",
                    counted(blocks, "block"), counted(warps, "warp"), extent),
        fmt::format("launch {} blocks: lab::ceil_div({}, {}), one warp per element", ceil_div(extent, warps),
                    extent, warps),
        true};
  if (blocks < extent) return std::nullopt;
  if (stored == 1)
    return GapAdvice{
        "only block 0 stores an element: the store's condition is true in one block only, as `i == 0` is if "
        "i "
        "counts the threads of all blocks",
        "let one thread of each block store: if (threadIdx.x == 0)"};
  return GapAdvice{
      fmt::format("the grid has {} blocks, and one thread of a block stores an element, but the blocks from "
                  "block {} on store none: a condition excludes them",
                  blocks, stored),
      fmt::format("let one thread of each of the first {} blocks store", extent)};
}

/// A grid or a block with several rows fills a vector: only the number of all threads counts.
std::optional<GapAdvice> advice_on_vector_of_rows(const Region& region, const LaunchExtents& launch) {
  const std::size_t threads = launch.grid.count() * launch.block.count();
  if (threads >= region.columns) return std::nullopt;
  return GapAdvice{
      fmt::format(
          "the grid is too small: {} × {} blocks of {} × {} threads are {} threads, and the output has "
          "{} elements",
          launch.grid.x, launch.grid.y, launch.block.x, launch.block.y, threads, region.columns),
      "round up where the numbers of blocks along x and y are computed", true};
}

/// As many elements were stored as the square of the number of rows has: rows of that length were stored next
/// to each other.
std::optional<GapAdvice> advice_on_square(const Directions& grid) {
  const auto& [rows, columns] = grid;
  if (columns.is_short() || rows.stored * columns.extent != rows.extent * rows.extent) return std::nullopt;
  return GapAdvice{
      fmt::format("the stored elements are as many as {0} rows of {0} elements, although a row has {1}: the "
                  "numbers of rows and columns are exchanged, in the launch's arguments or in the index",
                  rows.extent, columns.extent),
      "pass width and height in the order of the kernel's parameters, and multiply a row by the number of "
      "columns"};
}

std::optional<GapAdvice> advice_on_launch(const Region& region, const LaunchExtents& launch) {
  if (region.is_of_vector && launch.stores_singly && launch.block.count() > 1)
    return advice_on_single_stores(region, launch);
  const bool is_flat = launch.grid.y == 1 && launch.block.y == 1;
  if (!is_flat && region.is_of_vector) return advice_on_vector_of_rows(region, launch);
  if (is_flat && !region.is_of_vector) return advice_on_flat_launch(region, launch);
  const Directions grid = directions_of(region, launch, !launch.is_transpose);
  const Directions transposed = directions_of(region, launch, launch.is_transpose);
  const auto& [rows, columns] = grid;
  if (auto advice = advice_on_grid(grid)) return advice;
  // A thread often stores several elements of a tile: a complete direction is covered.
  const auto covers = [](const Direction& one) { return one.is_covered() || !one.is_short(); };
  if (covers(rows) && covers(columns)) {
    if (auto advice = advice_on_square(grid)) return advice;
    const bool fits_if_transposed = !launch.is_transpose && is_swapped(transposed);
    return columns.is_short() ? strict_guard(columns, rows.extent, launch.is_transpose, fits_if_transposed)
                              : strict_guard(rows, columns.extent, launch.is_transpose, fits_if_transposed);
  }
  return region.is_of_vector ? std::nullopt : advice_on_grid(transposed);
}

GapAdvice missed_by_walk() {
  return {
      "the kernel reads gridDim, so that its blocks walk through the output: the loop ends too early, its "
      "step is too large, or it computes row and column of an iteration with a wrong number",
      "follow the loop for the first missing element: where it ends, its step, and what the number of an "
      "iteration is divided by"};
}

}  // namespace

GapAdvice advice_on_missing(const Region& region, const std::optional<LaunchExtents>& launch) {
  if (launch) {
    if (auto advice = advice_on_launch(region, *launch))
      return launch->walks && advice->is_about_launch ? missed_by_walk() : *advice;
    if (launch->walks) return missed_by_walk();
  }
  return {"the grid is too small, because the number of blocks is rounded down, or a guard is too strict",
          region.is_of_vector
              ? "launch enough blocks to cover every element, and let a thread store each of them"
              : "launch enough blocks to cover every element, and store where the row and the column exist"};
}

std::optional<GapAdvice> advice_on_exact_launch(std::size_t rows, std::size_t columns,
                                                const LaunchExtents& launch) {
  if (launch.is_transpose || rows == columns) return std::nullopt;
  const Directions grid = directions_of({rows, columns, rows, columns}, launch, true);
  const std::size_t along_x = grid.columns.blocks * grid.columns.threads;
  const std::size_t along_y = grid.rows.blocks * grid.rows.threads;
  if (along_x == rows && along_y == columns && grid.rows.threads == grid.columns.threads)
    return swapped(grid);
  if (along_x != columns || along_y != rows) return std::nullopt;
  return GapAdvice{
      fmt::format(
          "the launch has exactly one thread for each of the {} × {} elements, so no guard is missing: "
          "row and column are swapped in an index, it uses another matrix's number of columns, or a "
          "loop runs too often",
          rows, columns),
      "compute the row with blockIdx.y and threadIdx.y, the column with blockIdx.x and threadIdx.x, and "
      "multiply a row by the number of columns of its own matrix"};
}

}  // namespace grader
