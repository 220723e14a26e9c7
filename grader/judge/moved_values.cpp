#include "judge/moved_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lab/error_bounds.hpp"

namespace grader {
namespace {

using Distance = std::ptrdiff_t;

class MovedValues : private WrongValues {
 public:
  using Found = std::optional<Diagnostic>;

  explicit MovedValues(const WrongValues& values) : WrongValues(values) {}

  Found find() const {
    if (auto found = shifted()) return found;
    if (auto found = exchanged_indices()) return found;
    if (auto found = displaced_rows()) return found;
    return accumulated();
  }

  /// The beginning of a vector has the values of its last piece, and the rest has none.
  Found pieces_in_one_place() const {
    if (expected_.shape.size() != 1 || wrong_.size() < 2 * kMinEvidence) return std::nullopt;
    std::size_t end = 0;  // of what was written
    while (end < size() && !is_poison(end)) ++end;
    const bool rest_is_unwritten = end < size() && [&] {
      for (std::size_t i = end; i < size(); ++i)
        if (!is_poison(i)) return false;
      return true;
    }();
    if (!rest_is_unwritten || end < kMinEvidence) return std::nullopt;
    for (std::size_t distance = size() - end; distance > 0; --distance)
      if (has_later_values(end, distance))
        return report(
            "WG-V02", wrong_,
            fmt::format("the pieces of {0} are one over the other: {0}[0] has the value of {0}[{1}]",
                        expected_.name, distance),
            "each piece of the result is copied to the same place: the destination lacks the index at which "
            "the piece begins",
            "add the index of the piece's first element to the destination of the copy");
    return std::nullopt;
  }

 private:
  /// The index of the element that is `down` rows and `right` columns away, if it exists.
  std::optional<std::size_t> moved(std::size_t i, Distance down, Distance right) const {
    const auto columns = static_cast<Distance>(expected_.shape.back());
    const auto rows = static_cast<Distance>(size()) / columns;
    const Distance row = static_cast<Distance>(i) / columns + down;
    const Distance column = static_cast<Distance>(i) % columns + right;
    if (row < 0 || row >= rows || column < 0 || column >= columns) return std::nullopt;
    return static_cast<std::size_t>(row * columns + column);
  }

  /// Whether each element has the expected value of the element `source_of(i)`, if that exists.
  template <class SourceOf>
  bool are_values_of(SourceOf source_of) const {
    std::size_t evidence = 0, unknown = 0;
    const auto fits = [&](std::size_t i) {
      const std::optional<std::size_t> source = source_of(i);
      if (!source) return ++unknown, true;
      const double value = expected_.values[*source];
      const double tolerance = std::max(expected_.tolerances[i], expected_.tolerances[*source]);
      if (!agree(actual_[i], value, tolerance)) return false;
      if (!agree(value, expected_.values[i], 2 * tolerance)) ++evidence;
      return true;
    };
    const std::size_t step = wrong_.size() / kSample + 1;
    for (std::size_t i = 0; i < wrong_.size(); i += step)
      if (!fits(wrong_[i])) return false;
    const std::size_t stride = size() / kSample + 1;
    for (std::size_t i = 0; i < size(); i += stride)
      if (!fits(i)) return false;
    return evidence >= kMinEvidence && evidence > unknown;
  }

  bool is_moved_by(Distance down, Distance right) const {
    return are_values_of([&](std::size_t i) { return moved(i, down, right); });
  }

  /// The element with the same row and column, but for their numbers within a tile of `width` × `width`
  /// values that are `step` rows and columns apart: these are exchanged.
  std::optional<std::size_t> exchanged(std::size_t i, std::size_t step, std::size_t width) const {
    const std::size_t row = i / expected_.shape[1], column = i % expected_.shape[1];
    const auto a = static_cast<Distance>(row / step % width),
               b = static_cast<Distance>(column / step % width);
    const Distance distance = (b - a) * static_cast<Distance>(step);
    return moved(i, distance, -distance);
  }

  Found exchanged_indices() const {
    if (expected_.shape.size() != 2 || wrong_.size() < 2 * kMinEvidence) return std::nullopt;
    constexpr std::size_t kLargest = 128;
    for (std::size_t width = 2; width <= kLargest; width *= 2)
      for (std::size_t step = 1; step * width <= kLargest; step *= 2)
        if (are_values_of([&](std::size_t i) { return exchanged(i, step, width); }))
          return exchanged_report(*exchanged(wrong_.front(), step, width), step, width);
    return std::nullopt;
  }

  Diagnostic exchanged_report(std::size_t source, std::size_t step, std::size_t width) const {
    const auto element = [&](std::size_t i) { return element_name(expected_.name, expected_.shape, i); };
    const std::string moved = fmt::format("{} has the value of {}", element(wrong_.front()), element(source));
    if (step == 1)
      return report(
          "WG-V04", wrong_,
          fmt::format("rows and columns are exchanged in groups of {0} × {0} elements of {1}: {2}", width,
                      name(), moved),
          "the two indices of a tile, or of the values that a thread holds, are exchanged where they "
          "are read or stored: values[b][a] in place of values[a][b]",
          "use the same index for the row, and the same one for the column, in all statements");
    return report(
        "WG-V04", wrong_,
        fmt::format("tiles of {0} × {0} elements of {1} are right in themselves, but each is at the "
                    "place that mirrors its own, in groups of {2} × {2} tiles: {3}",
                    step, name(), width, moved),
        fmt::format("the elements of a tile are at their places, but the places of the tiles are "
                    "exchanged: blockIdx.x and blockIdx.y, where a block loads or stores its tile, or the "
                    "two indices of values that a thread holds, {} rows or columns apart",
                    step),
        "use the same index for the row of a tile, and the same one for its column, in all statements; "
        "only a transposed tile belongs to the mirrored place");
  }

  Found shifted() const {
    if (expected_.shape.empty() || expected_.shape.size() > 2 || wrong_.size() < 2 * kMinEvidence)
      return std::nullopt;
    constexpr Distance kFarthest = 8;
    const Distance farthest_down = expected_.shape.size() == 2 ? kFarthest : 0;
    for (Distance down = -farthest_down; down <= farthest_down; ++down)
      for (Distance right = -kFarthest; right <= kFarthest; ++right)
        if ((down != 0 || right != 0) && is_moved_by(down, right)) return moved_report(down, right);
    return std::nullopt;
  }

  Diagnostic moved_report(Distance down, Distance right) const {
    const auto part = [](Distance distance, const char* unit, const char* positive, const char* negative) {
      const Distance size = std::abs(distance);
      return fmt::format("{} {}{} {}", size, unit, size == 1 ? "" : "s", distance > 0 ? positive : negative);
    };
    std::string where;
    if (expected_.shape.size() == 1) {
      where = part(right, "element", "later", "earlier");
    } else {
      if (down != 0) where = part(down, "row", "below", "above");
      if (right != 0)
        where += (where.empty() ? "" : " and ") + part(right, "column", "to the right", "to the left");
    }
    return report(
        "WG-V01", wrong_,
        fmt::format("{} is shifted: each element has the value of the element {}", name(), where),
        "the index of a load or of the store has an offset too many, or lacks one: a tile with a halo, "
        "for instance, begins `radius` elements before the block's first element",
        "compare the index where the tile or the array is filled with the index where it is read: the "
        "offset must occur in one of them, with the right sign");
  }

  /// The row of the right result, not `row` itself, whose values the row has.
  std::optional<std::size_t> source_of_row(std::size_t row) const {
    const std::size_t columns = expected_.shape[1];
    const auto is_like = [&](std::size_t other) {
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t at = other * columns + column;
        if (!agree(actual_[row * columns + column], expected_.values[at], expected_.tolerances[at]))
          return false;
      }
      return true;
    };
    for (std::size_t other = 0; other < expected_.shape[0]; ++other)
      if (other != row && is_like(other)) return other;
    return std::nullopt;
  }

  /// Each wrong row has all values of another row: a sample of them is tested.
  Found displaced_rows() const {
    constexpr std::size_t kLeastColumns = 4, kMostRows = 64;
    if (expected_.shape.size() != 2 || expected_.shape[1] < kLeastColumns || wrong_.size() < 2 * kMinEvidence)
      return std::nullopt;
    const std::size_t columns = expected_.shape[1], step = wrong_.size() / kMostRows + 1;
    std::optional<std::pair<std::size_t, std::size_t>> first;
    for (std::size_t i = 0; i < wrong_.size(); i += step) {
      const std::size_t row = wrong_[i] / columns;
      const auto source = source_of_row(row);
      if (!source) return std::nullopt;
      if (!first) first.emplace(row, *source);
    }
    return report(
        "WG-V01", wrong_,
        fmt::format("rows of {} are in each other's places: row {} has the values of row {}", name(),
                    first->first, first->second),
        "a thread computes several elements, and stores one in the row of another: the row of the store "
        "and the rows of the loads come from different expressions",
        "compare the row in the index of the store with the row for which the value was computed, also "
        "where loops over several rows of a thread begin and how far they step");
  }

  /// The first wrong element whose value is the right one plus that of an element before it: the distance.
  std::optional<std::size_t> distance_of_sums() const {
    const std::size_t first = wrong_.front();
    // A sum that is not reset begins in the first element that the same thread or block computes.
    for (std::size_t distance = 1; distance <= first; ++distance)
      if (contains_earlier(first, distance)) return distance;
    return std::nullopt;
  }
  bool contains_earlier(std::size_t i, std::size_t distance) const {
    if (i < distance) return false;
    const double earlier = actual_[i - distance];
    // The sum of both has rounding errors of its own.
    const double tolerance =
        expected_.tolerances[i] + 4 * kUnitRoundoff * (std::abs(earlier) + std::abs(expected_.values[i]));
    return std::abs(earlier) > 4 * tolerance &&
           agree(actual_[i], expected_.values[i] + earlier, 2 * tolerance);
  }

  /// Each wrong element has its own sum and the one that its thread computed before it.
  Found accumulated() const {
    if (wrong_.size() < kMinEvidence || wrong_.front() == 0) return std::nullopt;
    const auto distance = distance_of_sums();
    if (!distance) return std::nullopt;
    const std::size_t step = wrong_.size() / kSample + 1;
    for (std::size_t k = 0; k < wrong_.size(); k += step)
      if (!contains_earlier(wrong_[k], *distance)) return std::nullopt;
    const std::size_t first = wrong_.front();
    return report(
        "WG-V01", wrong_,
        fmt::format("{} contains an earlier sum, too: that of {}",
                    element_name(expected_.name, expected_.shape, first),
                    element_name(expected_.name, expected_.shape, first - *distance)),
        "a thread or a warp computes several elements one after the other, and its sum still contains that "
        "of the element before",
        "set the sum to its start value for each element: declare it inside the loop over the elements");
  }

  /// The elements before `end` that have the values of elements `distance` later.
  bool has_later_values(std::size_t end, std::size_t distance) const {
    std::size_t evidence = 0;
    const std::size_t step = end / kSample + 1;
    for (std::size_t i = 0; i < end; i += step) {
      if (!agree(actual_[i], expected_.values[i + distance], expected_.tolerances[i + distance]))
        return false;
      evidence += !agree(actual_[i], expected_.values[i], 2 * expected_.tolerances[i]);
    }
    return evidence >= std::min(kMinEvidence, end);
  }
};

}  // namespace

std::optional<Diagnostic> diagnose_moved_values(const WrongValues& values) {
  return MovedValues(values).find();
}

std::optional<Diagnostic> diagnose_pieces_in_one_place(const WrongValues& values) {
  return MovedValues(values).pieces_in_one_place();
}

}  // namespace grader
