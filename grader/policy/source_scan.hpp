// What can be seen in a source file without compiling it: where a word stands, inline assembly outside of
// device code, and the headers it names. Comments, strings and line splices are understood; macros are not
// expanded. Pure. Covered by tests/policy/source_scan_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grader::policy {

struct Word {
  std::string text;           ///< an identifier, a number, or one character of punctuation
  int line = 0;               ///< from 1
  bool in_directive = false;  ///< of a preprocessor directive
};

/// A header as the file names it: "thrust/sort.h"; empty when it is made by a macro.
struct Include {
  std::string header;
  int line = 0;
};

class SourceScan {
 public:
  explicit SourceScan(std::string_view source);

  /// The first line where `name` is called, else the first where it stands, outside of comments and strings;
  /// 0: none. A name of several words ("operator new") stands where they follow each other.
  int line_of(std::string_view name) const;
  /// Lines of `asm` that is neither in a __global__ nor in a __device__ function.
  std::vector<int> host_assembly() const;
  const std::vector<Include>& includes() const { return includes_; }

 private:
  std::vector<Word> words_;
  std::vector<Include> includes_;
};

}  // namespace grader::policy
