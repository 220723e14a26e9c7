#include "report/markup.hpp"

#include <algorithm>

#include "report/terminal.hpp"

namespace grader {
namespace {

std::string_view reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

void append_escaped(std::string& text, std::string_view line) {
  for (const char c : printable(line)) {
    const std::string_view named = reference(c);
    if (named.empty())
      text += c;
    else
      text += named;
  }
}

}  // namespace

std::string markup_text(std::string_view untrusted) {
  std::string text;
  while (!untrusted.empty()) {
    const std::size_t end = std::min(untrusted.find_first_of("\n\t"), untrusted.size());
    append_escaped(text, untrusted.substr(0, end));
    if (end < untrusted.size()) text += untrusted[end];
    untrusted.remove_prefix(std::min(end + 1, untrusted.size()));
  }
  return text;
}

}  // namespace grader
