// Determines in which way an output is wrong. A pattern is reported only if the whole output, or a large,
// evenly spread sample of it, matches; otherwise the diagnosis is WG-V01, wrong values without a pattern. In
// order:
//
//   WG-V02 elements that were never written      WG-V04, V08, V09 … the lab's hypotheses
//   WG-V03 NaN or infinity                       WG-V07 nothing but zeros
//   WG-V04 rows and columns swapped              WG-V01 shifted by rows or columns
//   WG-V08 a constant factor
//   WG-V06 looks like rounding, or flushed to 0  WG-V05 only the elements beyond the last full tile
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "judge/stored_lines.hpp"
#include "judge/supply.hpp"
#include "lab/workload.hpp"

namespace grader {

/// A likely cause if no pattern fits.
struct Hint {
  std::string likely_cause;
  std::string next_step = {};  ///< empty: the usual one
};

/// One output and its expected values. Requires: actual.values and expected.values have the same length.
struct OutputPair {
  const Array& actual;
  const Expectation& expected;
  std::optional<Supply> supply;                   ///< unknown on a real GPU, and if no kernel ran
  harness::Place place = harness::Place::device;  ///< where the student's function writes it
  std::optional<Hint> hint = std::nullopt;
  const StoredLines* lines = nullptr;  ///< unknown on a real GPU
  harness::Element element = harness::Element::f32;
  std::span<const harness::Input> inputs = {};
};

/// Indices of the elements that differ from the expected value by more than their tolerance, or are not
/// finite where a finite value is expected.
std::vector<std::size_t> wrong_elements(const OutputPair& output);

/// What can be wrong with an output, the most likely first; the last one does without the hypotheses.
struct Guesses {
  std::vector<Guess> guesses;
  std::vector<std::string> excluded;  ///< likely causes of hypotheses whose values are not the output's
};

/// nullopt: all values are right.
std::optional<Guesses> guess_causes(const OutputPair& output, const std::vector<Hypothesis>& hypotheses);

/// The first guess.
std::optional<Diagnostic> diagnose_values(const OutputPair& output,
                                          const std::vector<Hypothesis>& hypotheses);

/// "P[3][16]"
std::string element_name(const std::string& array, const Shape& shape, std::size_t index);

}  // namespace grader
