// Outputs of a made-up function, for tests of what their values show.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "judge/patterns.hpp"

namespace values_fixture {

using grader::Array;
using grader::diagnose_values;
using grader::Diagnostic;
using grader::Expectation;
using grader::Hypothesis;
using grader::Shape;

/// Expected values that are all different, of either sign, with magnitudes of 100 times their size.
inline Expectation expectation(const Shape& shape) {
  Expectation expected{"P", shape, {}, {}, {}};
  for (std::size_t i = 0; i < grader::element_count(shape); ++i) {
    expected.values.push_back(std::sin(static_cast<double>(i) + 1) * 10);
    expected.tolerances.push_back(1e-4);
    expected.magnitudes.push_back(100);
  }
  return expected;
}

/// The expected values, each changed by `change(index, value)`.
template <class Change>
Array output(const Expectation& expected, Change change) {
  Array actual{"P", expected.shape, {}};
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    actual.values.push_back(static_cast<float>(change(i, expected.values[i])));
  return actual;
}

template <class Change>
std::optional<Diagnostic> diagnosis(const Shape& shape, Change change,
                                    const std::vector<Hypothesis>& hypotheses = {},
                                    std::optional<grader::Supply> supply = std::nullopt) {
  const Expectation expected = expectation(shape);
  return diagnose_values({output(expected, change), expected, supply}, hypotheses);
}

template <class Change>
std::string code(const Shape& shape, Change change) {
  const auto found = diagnosis(shape, change);
  return found ? found->code : "none";
}

}  // namespace values_fixture
