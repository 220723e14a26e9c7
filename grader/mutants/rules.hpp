// The mutation rules, by subject. Each function adds the mutants of its rules in any order.
#pragma once

#include <string>
#include <vector>

#include "mutants/code.hpp"
#include "mutants/mutants.hpp"

namespace grader::mutants {

class Sink {
 public:
  explicit Sink(const Code& code) : code_(code) {}

  /// Replaces the source of these tokens.
  void replace(const std::string& rule, Range tokens, std::string text);
  void replace(const std::string& rule, std::size_t token, std::string text) {
    replace(rule, Range{token, token + 1}, std::move(text));
  }
  void insert_before(const std::string& rule, std::size_t token, const std::string& text);

  std::vector<Mutant> take() { return std::move(mutants_); }

 private:
  const Code& code_;
  std::vector<Mutant> mutants_;
};

void add_guard_mutants(const Code& code, Sink& sink);   ///< comparisons, conditions, extents
void add_value_mutants(const Code& code, Sink& sink);   ///< constants, types, arithmetic, indices
void add_launch_mutants(const Code& code, Sink& sink);  ///< barriers, grids, copies, streams

}  // namespace grader::mutants
