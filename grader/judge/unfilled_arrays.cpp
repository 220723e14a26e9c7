#include "judge/unfilled_arrays.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "judge/declarations.hpp"
#include "judge/edge_region.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using Elements = std::vector<std::size_t>;  // ascending

constexpr std::uint64_t kElementBytes = 4;

Elements missing_of(const std::vector<bool>& filled) {
  Elements missing;
  for (std::size_t i = 0; i < filled.size(); ++i)
    if (!filled[i]) missing.push_back(i);
  return missing;
}

/// The elements without a value between those with one around `element`. What is missing elsewhere can be
/// meant: rows of a tile that the kernel does not use.
Elements missing_around(std::size_t element, const std::vector<bool>& filled) {
  Elements all = missing_of(filled);
  if (repeated_gap({static_cast<std::uint32_t>(filled.size())}, all)) return all;
  std::size_t begin = element, end = element;
  while (begin > 0 && !filled[begin - 1]) --begin;
  while (end < filled.size() && !filled[end]) ++end;
  Elements missing;
  for (std::size_t i = begin; i < end; ++i) missing.push_back(i);
  return missing;
}

/// Rows (columns) of which an element is written.
struct FilledLines {
  std::vector<bool> rows, columns;
};

FilledLines lines_of(const std::vector<bool>& words, std::size_t row_length) {
  FilledLines filled{std::vector<bool>(words.size() / row_length), std::vector<bool>(row_length)};
  for (std::size_t i = 0; i < filled.rows.size() * row_length; ++i)
    if (words[i]) filled.rows[i / row_length] = filled.columns[i % row_length] = true;
  return filled;
}

/// Elements of a vector, rows or columns without values, among others that have values.
struct Gap {
  const char* unit;  ///< "element", "row", "column"
  std::size_t extent;
  Elements missing;

  bool is_tail() const { return extent - missing.front() == missing.size(); }
  /// The number of missing ones at the beginning, if all are at one of the two ends, and some at each; else
  /// 0.
  std::size_t leading_margin() const {
    if (missing.front() != 0 || missing.back() + 1 != extent) return 0;
    std::size_t first = 1;
    while (first < missing.size() && missing[first] == first) ++first;
    const bool is_one_middle = first < missing.size() && extent - missing[first] == missing.size() - first;
    return is_one_middle ? first : 0;
  }
  std::string text() const {
    if (missing.size() == 1) return fmt::format("{} {}", unit, missing.front());
    if (const std::size_t before = leading_margin())
      return fmt::format("the first {} {}s and the last {}", before, unit, missing.size() - before);
    if (const auto gap = repeated_gap({static_cast<std::uint32_t>(extent)}, missing))
      return fmt::format("{}s {} to {} of every {}", unit, gap->first, gap->first + gap->count - 1,
                         gap->period);
    if (missing.back() - missing.front() + 1 == missing.size())
      return fmt::format("{}s {} to {}", unit, missing.front(), missing.back());
    std::size_t run = 1;
    while (missing[run] == missing.front() + run) ++run;
    return fmt::format("{} of the {} {}s, first {}{},", missing.size(), extent, unit, missing.front(),
                       run == 1 ? "" : fmt::format(" to {}", missing.front() + run - 1));
  }
};

Advice of_gap(const std::string& array, const Gap& gap, std::uint64_t threads, const vgpu::Dim3& block) {
  const std::string what =
      fmt::format("in `{}`, {} {} no value yet", array, gap.text(), gap.missing.size() == 1 ? "has" : "have");
  if (gap.is_tail() && gap.missing.front() == threads)
    return {fmt::format("{}: the blocks have {} × {} threads, and if each thread writes one element, there "
                        "is no thread for these",
                        what, block.x, block.y),
            fmt::format("fill the other {}s in a loop whose step is the number of threads, or launch blocks "
                        "that have a thread for each element",
                        gap.unit)};
  if (gap.is_tail())
    return {fmt::format("{}: the loop that fills the array ends before them, a condition leaves them out, or "
                        "rows have another length where they are stored than where they are read",
                        what),
            "compare the bounds and the length of a row where the array is filled with those where it is "
            "read; elements beyond the edge of the data need a value, too"};
  if (gap.leading_margin() != 0)
    return {fmt::format("{}: the part of the array that is filled is smaller than the part that is read, or "
                        "stores and loads use different offsets, such as margins for another radius",
                        what),
            "use the same offset and the same extents where the array is filled and where it is read"};
  if (repeated_gap({static_cast<std::uint32_t>(gap.extent)}, gap.missing))
    return {fmt::format("{}: the step of the loop that fills the array is greater than what the block's "
                        "threads, {} × {}, write at a time",
                        what, block.x, block.y),
            "let the step be the number of threads along this direction"};
  return {
      fmt::format("{}: an index, a condition or the bound of the loop that fills the array leaves them out",
                  what),
      "write every element that is read, including those beyond the edge of the data"};
}

}  // namespace

std::optional<Advice> unfilled_part(const vgpu::Fault& finding, const vgpu::LaunchRecord& launch,
                                    const SourceText& source) {
  const std::vector<bool>& words = finding.written_words;
  const std::size_t element = finding.variable_offset / kElementBytes;
  // Of a word of which a part is written, nothing more is known.
  if (element >= words.size() || words[element]) return std::nullopt;
  if (std::find(words.begin(), words.end(), true) == words.end()) return std::nullopt;
  const std::string array = kernel_name(finding.variable);
  const std::uint64_t row_length = grader::row_length(source, array).value_or(0);
  if (row_length == 0 || words.size() % row_length != 0)
    return of_gap(array, {"element", words.size(), missing_around(element, words)}, launch.block.count(),
                  launch.block);
  const FilledLines filled = lines_of(words, row_length);
  if (!filled.rows[element / row_length])
    return of_gap(array, {"row", filled.rows.size(), missing_of(filled.rows)}, launch.block.y, launch.block);
  if (!filled.columns[element % row_length])
    return of_gap(array, {"column", row_length, missing_of(filled.columns)}, launch.block.x, launch.block);
  return Advice{fmt::format("{} of the {} elements of `{}` have a value when it is read: an index, a "
                            "condition or the bound of the loop that fills it leaves the others out",
                            std::count(words.begin(), words.end(), true), words.size(), array),
                "write every element that is read, including those beyond the edge of the data"};
}

}  // namespace grader
