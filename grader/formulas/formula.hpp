// The truths of the questions that labs ask: each is computed by a function of quantities that are drawn for
// each student, or that the student's own run has. lab.json names the formula and has the text; the truth is
// in this program only. Facts and figures are the lectures'; the lectures' own examples are not drawn, so
// that hints can quote them. Pure. Covered by tests/questions/formulas_test.cpp, which has the lectures' own
// numbers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

inline constexpr int kWarpLanes = 32;
inline constexpr double kFloatBytes = 4;
inline constexpr double kPercent = 100;

/// A quantity with one of several values: numbers, or words, whose value is their index.
struct Drawn {
  std::string_view name;
  std::vector<double> numbers;
  std::vector<std::string_view> words = {};

  std::size_t size() const { return words.empty() ? numbers.size() : words.size(); }
  double value(std::size_t index) const {
    return words.empty() ? numbers[index] : static_cast<double>(index);
  }
};

/// By name.
using Quantities = std::map<std::string, double, std::less<>>;

struct Formula {
  std::string_view name;
  std::vector<Drawn> drawn;
  /// A number; for a question with choices the index of the right one. Not finite: the student's own run has
  /// no usable value.
  double (*truth)(const Quantities&);
  std::vector<std::string_view> own = {};  ///< quantities of the student's own run
};

/// nullptr: there is none.
const Formula* find_formula(std::string_view name);
std::vector<std::string> formula_names();

/// The same seed gives the same quantities everywhere.
Quantities draw(const Formula& formula, std::uint64_t seed);
/// A quantity as a question's text shows it: "1024", "depth-first".
std::string shown_quantity(const Formula& formula, std::string_view name, double value);

// The tables, one for each subject.
std::span<const Formula> divergence_formulas();
std::span<const Formula> launch_formulas();
std::span<const Formula> memory_formulas();
std::span<const Formula> register_formulas();
std::span<const Formula> tile_formulas();
std::span<const Formula> traffic_formulas();
std::span<const Formula> transfer_formulas();

}  // namespace grader
