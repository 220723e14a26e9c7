#include "judge/code_text.hpp"

#include <cctype>

#include "base/ascii.hpp"

namespace grader {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view code_of(const std::string& line) {
  return std::string_view(line).substr(0, line.find("//"));
}

std::string with_operators(std::string_view code) {
  std::string text(code);
  for (const auto& [word, sign] : {std::pair("and", "&& "), {"or", "||"}, {"not", "!  "}}) {
    const std::size_t length = std::string_view(word).size();
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const bool begins = at == 0 || !is_word_character(text[at - 1]);
      const bool ends = at + length == text.size() || !is_word_character(text[at + length]);
      if (begins && ends) text.replace(at, length, sign);
    }
  }
  return text;
}

std::optional<std::string_view> after_word(std::string_view code, std::string_view word) {
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(code[at - 1])) &&
        (end == code.size() || !is_word_character(code[end])))
      return code.substr(end);
  }
  return std::nullopt;
}

bool contains_word(std::string_view code, std::string_view word) {
  return after_word(code, word).has_value();
}

std::string last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin);
  return name.empty() || is_digit(name.front()) ? "" : std::string(name);
}

std::string last_name(std::string_view text) {
  return last_word(trimmed(text.substr(0, text.find_first_of("[="))));
}

bool changes_element(std::string_view code, std::string_view array) {
  if (array.empty()) return false;
  const auto changed_before = [&](std::size_t end) {  // "bins" of "if (x < n) bins[level] "
    std::string_view target = trimmed(code.substr(0, end));
    if (target.ends_with(']')) target = trimmed(target.substr(0, target.rfind('[')));
    return last_word(target) == array;
  };
  for (const char* step : {"++", "--"})
    if (const std::size_t at = code.find(step); at != std::string_view::npos)
      if (trimmed(code.substr(at + 2)).starts_with(array) || changed_before(at)) return true;
  for (const char* change : {"+=", "-=", "|=", "&=", "^="})
    if (const std::size_t at = code.find(change); at != std::string_view::npos)
      return changed_before(at) && !contains_word(code.substr(at + 2), array);
  return false;
}

bool starts_device_function(std::string_view code) {
  return contains_word(code, "__global__") || contains_word(code, "__device__");
}

}  // namespace grader
