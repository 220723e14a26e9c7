// solutions/<lab>/equivalent.json: mutants that behave like the original for every permitted input, each with
// its proof. An entry quotes the changed lines, so that it survives changes elsewhere in the file. Covered by
// mutants/equivalents_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "mutants/mutants.hpp"

namespace grader::mutants {

struct Equivalent {
  std::string file;                  ///< relative to equivalent.json: "accepted/grid_stride.cu"
  std::string line;                  ///< Change::before
  std::vector<std::string> becomes;  ///< Change::after of each mutant
  std::string why;                   ///< the proof
};

/// The error describes the problem and its position.
Expected<std::vector<Equivalent>, std::string> parse_equivalents(const std::string& json_text);

/// The entry that lists this mutant of `file`; nullptr: none.
const Equivalent* find_equivalent(const std::vector<Equivalent>& entries, const std::string& file,
                                  const Change& change);

}  // namespace grader::mutants
