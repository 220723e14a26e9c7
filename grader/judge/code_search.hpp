// Search in the text of a whole file without its comments, for advice about programs that are known to be
// wrong. An index is a place in FileCode::text; npos: not found. Strings are not recognised.
// Covered by tests/judge/slips_test.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// The file without comments.
struct FileCode {
  std::string text;

  explicit FileCode(const SourceText& source);

  std::size_t line_of(std::size_t at) const;
  std::string_view from(std::size_t at) const {
    return std::string_view(text).substr(std::min(at, text.size()));
  }
  std::string_view rest_of_line(std::size_t at) const { return from(at).substr(0, from(at).find('\n')); }
  std::size_t indentation(std::size_t at) const;  ///< blanks at the beginning of the line
};

bool is_blank(char c);  ///< also the end of a line
std::size_t skip_blanks(std::string_view text, std::size_t at);
/// After the parenthesis that closes the one at `at`.
std::size_t after_parentheses(std::string_view text, std::size_t at);
/// Where the word occurs next.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t at);

/// The braces of the next block, if no statement ends before it.
struct Braces {
  std::size_t begin = 0, end = 0;
};
std::optional<Braces> braces_after(std::string_view text, std::size_t at);

/// The three parts of a loop's header; empty: it has others.
struct LoopHeader {
  std::string_view start, condition, step;
};
LoopHeader header_of(std::string_view parentheses);

/// What `find(header, line)` returns for the first `for` loop for which it returns something.
template <class Find>
std::optional<Advice> find_in_loops(const FileCode& code, Find find) {
  for (std::size_t at = find_word(code.text, "for", 0); at != std::string_view::npos;
       at = find_word(code.text, "for", at + 1)) {
    const std::size_t open = skip_blanks(code.text, at + 3), closed = after_parentheses(code.text, open);
    if (closed == std::string_view::npos) continue;
    if (auto found = find(header_of(code.from(open).substr(0, closed - open)), code.line_of(at)))
      return found;
  }
  return std::nullopt;
}

}  // namespace grader
