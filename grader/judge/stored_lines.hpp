// Which lines of the student's file made an output what it is: the store that wrote an element last, the
// launch, the copy to the host. Known on the virtual GPU, whose memory keeps the line of the last store to
// each word. The named line shows where the value comes from; the mistake can be elsewhere, and the text
// that is added says no more than that. Covered by tests/judge/stored_lines_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"

namespace grader {

/// The lines of one output of a run. Keeps references to the arguments.
class StoredLines {
 public:
  StoredLines(const CaseRun& run, const harness::Job& job, std::size_t output, const SourceText& source);

  // Each sets `where` and `source_line`, and adds the line's part to `first`; without effect if the line is
  // unknown or not in the student's file.

  /// The line that stored the element. An element of host memory is found by its value: all words with that
  /// value that came from the device must be stored by one line. If no kernel stored the element, as
  /// name_other_store().
  void name_store(Diagnostic& diagnostic, std::size_t element) const;
  /// Whether a kernel's store is known to have written the element. In host memory, only for elements that
  /// have the value of unwritten memory: all words with this value that came back must be stored.
  bool is_stored(std::size_t element) const {
    if (is_on_device_) return element < by_element_.size() && by_element_[element] != 0;
    return stored_poison_.contains(words_[element]);
  }
  /// The line that stored most of the output, for an element that it did not store.
  void name_other_store(Diagnostic& diagnostic) const;
  /// The launch of the kernel that ran last, if the function that the job calls has one such launch only.
  void name_launch(Diagnostic& diagnostic) const;
  /// For messages whose line is unknown.
  void no_line(Diagnostic&) const {}
  /// True if a kernel stored something, but no copy to the host contains a stored value.
  bool nothing_came_back() const;
  /// True if nothing came to the host.
  bool has_no_copies() const;
  /// The copy to the host, if the source has one only.
  void name_copy(Diagnostic& diagnostic) const;

 private:
  std::uint32_t own_line(vgpu::StoreLine number) const;
  std::uint32_t line_of(std::size_t element) const;
  std::uint32_t most_frequent_line() const;
  bool name(Diagnostic& diagnostic, std::uint32_t line, const char* role) const;

  const CaseRun& run_;
  const harness::Job& job_;
  const SourceText& source_;
  bool is_on_device_;
  std::vector<vgpu::StoreLine> by_element_;  ///< of an output in device memory
  std::vector<std::uint32_t> words_;         ///< of an output in host memory, by element
  std::set<std::uint32_t> stored_poison_;
};

}  // namespace grader
