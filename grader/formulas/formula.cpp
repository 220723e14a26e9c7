#include "formulas/formula.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/random.hpp"

namespace grader {
namespace {

std::array<std::span<const Formula>, 7> tables() {
  return {divergence_formulas(), launch_formulas(),  memory_formulas(),  register_formulas(),
          tile_formulas(),       traffic_formulas(), transfer_formulas()};
}

/// The shortest text that gives the same number.
std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

}  // namespace

const Formula* find_formula(std::string_view name) {
  for (const auto table : tables())
    for (const Formula& one : table)
      if (one.name == name) return &one;
  return nullptr;
}

std::vector<std::string> formula_names() {
  std::vector<std::string> names;
  for (const auto table : tables())
    for (const Formula& one : table) names.emplace_back(one.name);
  std::sort(names.begin(), names.end());
  return names;
}

Quantities draw(const Formula& formula, std::uint64_t seed) {
  SplitMix64 random(seed);
  Quantities quantities;
  for (const Drawn& one : formula.drawn)
    quantities[std::string(one.name)] = one.value(static_cast<std::size_t>(random.below(one.size())));
  return quantities;
}

std::string shown_quantity(const Formula& formula, std::string_view name, double value) {
  for (const Drawn& one : formula.drawn)
    if (one.name == name && !one.words.empty())
      return std::string(one.words.at(static_cast<std::size_t>(value)));
  return number_text(value);
}

}  // namespace grader
