// What a missed counter leads to: the line of the student's file with the largest part of it, a launch whose
// extents it counts, the allocation that is not freed, or the reason why work does not overlap. Known
// on the virtual GPU only. Covered by tests/judge/clues_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "judge/producers.hpp"

namespace grader {

struct Clue {
  std::optional<SourceLocation> where{};
  std::string source_line{};
  std::string counter{};       ///< why this line: see find_clue()
  std::string likely_cause{};  ///< empty: only the line is known
  std::string next_step{};     ///< empty: the objective's own advice fits
  /// Of the launch with the most work, if its grid is too large: added to the likely cause, and what to do
  /// before the next step. Both or neither.
  std::string surplus{}, first_step{};
};

/// `counter` is a name from counter_names(), not a ratio to a quantity of a workload. nullopt: nothing can be
/// named for the counter.
std::optional<Clue> find_clue(const vgpu::cudart::SessionReport& session, const Producers& producers,
                              std::string_view counter, const SourceText& source, const harness::Job& job);

/// Counters of the extents of single launches that produce the result (score/counters.cpp). Their clue is the
/// one of these launches with the most thread instructions.
bool is_of_launch(std::string_view counter);
/// Counters that show whether copies and kernels run at the same time.
bool is_of_overlap(std::string_view counter);
/// Counters of what the results owe to floats in shared memory. Their clue is an array of integers
/// there, or the load from global memory in its place.
bool is_of_shared_values(std::string_view counter);

/// Counters whose clues have a likely cause, apart from those of overlap.
bool explains(std::string_view counter);

/// Whether add_clue() added a surplus of blocks.
bool has_surplus(const Diagnostic& diagnostic);

/// Adds the clue to a diagnostic, and to `first` what its line has to do with the counter.
void add_clue(Diagnostic& diagnostic, const Clue& clue);

/// The line of the student's file as a clue.
Clue clue_at(std::uint32_t line, const SourceText& source);

}  // namespace grader
