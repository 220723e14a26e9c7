#include "judge/code_search.hpp"

#include "judge/code_text.hpp"

namespace grader {

using std::string_view;

FileCode::FileCode(const SourceText& source) {
  for (const std::string& line : source.lines) text.append(with_operators(code_of(line))).push_back('\n');
}

std::size_t FileCode::line_of(std::size_t at) const {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

std::size_t FileCode::indentation(std::size_t at) const {
  const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
  return std::min(text.find_first_not_of(' ', begin), text.size()) - begin;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_blanks(string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::size_t after_parentheses(string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '(') return string_view::npos;
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return string_view::npos;
}

std::size_t find_word(string_view text, string_view word, std::size_t at) {
  for (at = text.find(word, at); at != string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return at;
  }
  return string_view::npos;
}

std::optional<Braces> braces_after(string_view text, std::size_t at) {
  const std::size_t open = text.find_first_of("{;", at);
  if (open == string_view::npos || text[open] == ';') return std::nullopt;
  int depth = 0;
  for (std::size_t end = open; end < text.size(); ++end) {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    if (depth == 0) return Braces{open, end};
  }
  return std::nullopt;
}

LoopHeader header_of(string_view parentheses) {
  const string_view inside = parentheses.substr(1, parentheses.size() - 2);
  const std::size_t first = inside.find(';'), second = inside.find(';', first + 1);
  if (first == string_view::npos || second == string_view::npos) return {};
  return {inside.substr(0, first), inside.substr(first + 1, second - first - 1), inside.substr(second + 1)};
}

}  // namespace grader
