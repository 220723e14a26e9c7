// The wrong elements of an output, and the ways to describe them, for the classes that look for a cause
// (patterns.cpp, never_written.cpp). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "judge/patterns.hpp"

namespace grader {

using Elements = std::vector<std::size_t>;

/// Fewer wrong elements than this can match a pattern by chance if other elements are right. (For hypotheses,
/// if an output has fewer elements, a sum for instance, all of them together are sufficient evidence.)
inline constexpr std::size_t kMinEvidence = 4;

/// The number of evenly spread elements that a possible cause is compared with; each can cost one element's
/// computation.
inline constexpr std::size_t kSample = 512;

std::string number_text(double value);

/// For infinities and NaN, true only if both are the same.
bool agree(double actual, double expected, double tolerance);

/// A base class. The output must outlive it.
class WrongValues {
 public:
  explicit WrongValues(const OutputPair& output);

 protected:
  std::size_t size() const { return actual_.size(); }
  std::uint64_t size_bytes() const { return size() * sizeof(float); }
  std::string name() const { return "`" + expected_.name + "`"; }
  /// "3 of 400 elements of `P` are"
  std::string subject(std::size_t some, const char* singular, const char* plural) const;
  double error(std::size_t i) const;
  /// The element was never written, or it was copied from device memory that was never written.
  bool is_poison(std::size_t i) const;
  /// The element is a word of memory that the program allocated and never wrote.
  bool is_of_new_memory(std::size_t i) const;
  /// A store is known to have written the element: what looks unwritten was computed.
  bool is_stored(std::size_t i) const { return lines_ != nullptr && lines_->is_stored(i); }

  template <class Predicate>
  Elements wrong_where(Predicate predicate) const {
    Elements some;
    std::copy_if(wrong_.begin(), wrong_.end(), std::back_inserter(some), predicate);
    return some;
  }

  /// `elements` are the elements that `what` describes; the first of them is quoted, with the line that
  /// stored it.
  Diagnostic report(std::string code, const Elements& elements, std::string what, std::string likely_cause,
                    std::string next_step) const;
  /// Without the line.
  Diagnostic bare_report(std::string code, const Elements& elements, std::string what,
                         std::string likely_cause, std::string next_step) const;

  const std::vector<float>& actual_;
  const Expectation& expected_;
  std::optional<Supply> supply_;
  harness::Place place_;
  std::optional<Hint> hint_;
  const StoredLines* lines_;
  bool is_integer_;
  Elements wrong_;

 private:
  std::string quote(std::size_t i) const;
};

}  // namespace grader
