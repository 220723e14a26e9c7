#include "lab/product_extents.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grader {
namespace {

/// An extent that a guard or a loop compares with. Its value is at most that of the right extent: one that is
/// too large changes nothing, or reads outside of a matrix, which is reported as such.
struct Extent {
  std::size_t value = 0;
  std::string name;  ///< "n"; empty for the right extent
  bool is_wrong() const { return !name.empty(); }
};

using NamedValue = std::pair<const char*, std::size_t>;

/// The right extent, followed by those of `others` that are smaller.
std::vector<Extent> choices(std::size_t right, const std::vector<NamedValue>& others) {
  std::vector<Extent> all{{right, ""}};
  for (const auto& [name, value] : others) {
    if (value >= right) continue;
    const auto known =
        std::find_if(all.begin(), all.end(), [v = value](const Extent& one) { return one.value == v; });
    if (known == all.end())
      all.push_back({value, name});
    else
      known->name += fmt::format(" or {}", name);
  }
  return all;
}

struct Mistake {
  Extent rows, columns, terms;

  int count() const { return rows.is_wrong() + columns.is_wrong() + terms.is_wrong(); }
};

std::string pattern_of(const Mistake& mistake, const Product& product) {
  std::vector<std::string> parts;
  if (mistake.terms.is_wrong())
    parts.push_back(
        fmt::format("each element is the sum of its first {} of {} terms", mistake.terms.value, product.k));
  if (mistake.rows.is_wrong()) parts.push_back(fmt::format("rows from {} on are 0", mistake.rows.value));
  if (mistake.columns.is_wrong())
    parts.push_back(fmt::format("columns from {} on are 0", mistake.columns.value));
  return fmt::format("{}", fmt::join(parts, ", and "));
}

/// Two other mistakes that add the same terms.
std::string other_cause(std::size_t terms, const Product& product) {
  for (const std::size_t T : product.tile_widths) {
    if (terms == T) return fmt::format(" (or only the first tile of {} is added)", T);
    if (terms == product.k / T * T) return " (or the last, partial tile along k is never added)";
  }
  return "";
}

std::string cause_of(const Mistake& mistake, const Product& product) {
  std::vector<std::string> parts;
  if (mistake.terms.is_wrong())
    parts.push_back(fmt::format("the guard of a load, or the loop over tiles, uses {} where it needs k{}",
                                mistake.terms.name, other_cause(mistake.terms.value, product)));
  if (mistake.rows.is_wrong())
    parts.push_back(
        fmt::format("the guard of M's load compares the row with {} instead of m", mistake.rows.name));
  if (mistake.columns.is_wrong())
    parts.push_back(
        fmt::format("the guard of N's load compares the column with {} instead of n", mistake.columns.name));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Hypothesis hypothesis_of(const Mistake& mistake, const Product& product) {
  auto values = [=, sum = product.sum, n = product.n](std::size_t index) {
    const std::size_t row = index / n, column = index % n;
    const bool is_zero = row >= mistake.rows.value || column >= mistake.columns.value;
    return is_zero ? 0.0 : sum(row, column, 0, mistake.terms.value);
  };
  return {
      mistake.terms.is_wrong() ? "WG-V08" : "WG-V05",
      pattern_of(mistake, product),
      cause_of(mistake, product),
      "M has m rows and k columns, N has k rows and n columns: compare every index with the extent of its "
      "own matrix, and let the loop over tiles cover k",
      product.output,
      std::move(values)};
}

}  // namespace

std::vector<Hypothesis> wrong_extents(const Product& product) {
  std::vector<Mistake> mistakes;
  for (const Extent& rows : choices(product.m, {{"k", product.k}, {"n", product.n}}))
    for (const Extent& columns : choices(product.n, {{"k", product.k}, {"m", product.m}}))
      for (const Extent& terms : choices(product.k, {{"m", product.m}, {"n", product.n}}))
        mistakes.push_back({rows, columns, terms});
  std::erase_if(mistakes, [](const Mistake& one) { return one.count() == 0; });
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.count() < b.count(); });
  std::vector<Hypothesis> all;
  for (const Mistake& one : mistakes) all.push_back(hypothesis_of(one, product));
  return all;
}

std::vector<Hypothesis> wrong_loop_extents(const Product& product) {
  std::vector<Hypothesis> all;
  for (const std::size_t T : product.tile_widths)
    for (const auto& [name, value] : {NamedValue{"m", product.m}, NamedValue{"n", product.n}}) {
      const std::size_t terms = (value + T - 1) / T * T;
      if (terms >= product.k) continue;
      all.push_back({"WG-V08",
                     fmt::format("each element is the sum of its first {} of {} terms", terms, product.k),
                     fmt::format("the loop over tiles covers {} terms (tiles of {}) instead of k", name, T),
                     fmt::format("let the loop over tiles run (k + {} - 1) / {} times", T, T), product.output,
                     [=, sum = product.sum, n = product.n](std::size_t index) {
                       return sum(index / n, index % n, 0, terms);
                     }});
    }
  return all;
}

}  // namespace grader
