// Finds the lines of words and the included headers in a source file without compiling it, for messages and
// to refuse large libraries early. Handles comments, strings and line splices; does not expand macros, so no
// rule depends on this alone. Pure. Covered by tests/policy/source_scan_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grader::policy {

struct Word {
  std::string text;           ///< an identifier, a number, or one character of punctuation
  int line = 0;               ///< from 1
  bool in_directive = false;  ///< part of a preprocessor directive
};

/// A header that the file includes under no condition, as the file names it: "thrust/sort.h"; empty if a
/// macro produces the name.
struct Include {
  std::string header;
  int line = 0;
};

class SourceScan {
 public:
  explicit SourceScan(std::string_view source);

  /// The first line where `name` is called, else the first where it occurs, outside of comments and strings;
  /// 0: none. A name of several words ("operator new") occurs where the words follow each other.
  int line_of(std::string_view name) const;
  const std::vector<Include>& includes() const { return includes_; }

 private:
  std::vector<Word> words_;
  std::vector<Include> includes_;
};

}  // namespace grader::policy
