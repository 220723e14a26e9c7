// Mutants of a CUDA source file: copies with one small mistake each, of the kinds that students make. A
// rubric that gives a mutant full marks misses that mistake (`warpgrade lint --mutants`). Pure. Covered by
// mutants/mutants_test.cpp.
//
// The rules read tokens, not types, and expect a file that clang-format has formatted: a comparison has
// blanks around it, a template's bracket has none. Comments and directives are never changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grader::mutants {

struct Mutant {
  std::string rule;                ///< "boundary", "no-barrier", …
  std::uint32_t line = 0;          ///< of the change, from 1
  std::uint32_t ordinal = 0;       ///< from 1, among the mutants of this line and rule
  std::size_t at = 0, length = 0;  ///< the bytes of the source that are replaced
  std::string replacement;

  /// "33:boundary:1"; unique within the file.
  std::string name() const;
};

/// Mistakes in an expression: a constant, an operator, an index, an extent, a dimension. A line has
/// many places for them, and the same inputs find all of them, so at most one is made per line.
enum class Slips { one_per_line, none };

/// All mutants in the order of their places. No two of them are the same text, and none is the source.
std::vector<Mutant> mutants_of(std::string_view source, Slips slips = Slips::one_per_line);

/// The mutant's source text.
std::string mutated(std::string_view source, const Mutant& mutant);

/// The lines that differ, without the blanks around them, and joined by blanks.
struct Change {
  std::string before, after;
};
Change change_of(std::string_view source, const Mutant& mutant);

}  // namespace grader::mutants
