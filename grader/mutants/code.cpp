#include "mutants/code.hpp"

#include <algorithm>
#include <set>

namespace grader::mutants {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n'; }

bool opens(std::string_view text) { return text == "(" || text == "[" || text == "{" || text == "<<<"; }
bool closes(std::string_view text) { return text == ")" || text == "]" || text == "}" || text == ">>>"; }

bool is_control(std::string_view word) {
  return word == "if" || word == "for" || word == "while" || word == "switch";
}

bool is_integer_type(std::string_view word) {
  return word == "int" || word == "unsigned" || word == "size_t" || word == "long";
}

/// The tokens without directives.
std::vector<Lexeme> statements_only(std::vector<Lexeme> all) {
  std::set<std::uint32_t> directives;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].text == "#" && (i == 0 || all[i - 1].line != all[i].line)) directives.insert(all[i].line);
  std::erase_if(all, [&](const Lexeme& token) { return directives.contains(token.line); });
  return all;
}

}  // namespace

Code::Code(std::string_view source)
    : source_(source), tokens_(statements_only(similarity::lexemes_of(source))) {
  find_brackets();
  find_functions();
}

std::size_t Code::begins(std::size_t i) const {
  return i < tokens_.size() ? static_cast<std::size_t>(tokens_[i].text.data() - source_.data())
                            : source_.size();
}

std::string_view Code::text(Range range) const {
  if (range.begin >= range.end) return {};
  return source_.substr(begins(range.begin), ends(range.end - 1) - begins(range.begin));
}

void Code::find_brackets() {
  partners_.assign(tokens_.size(), tokens_.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (opens(text(i))) open.push_back(i);
    if (!closes(text(i)) || open.empty()) continue;
    partners_[i] = open.back();
    partners_[open.back()] = i;
    open.pop_back();
  }
}

std::optional<std::size_t> Code::partner(std::size_t i) const {
  return i < partners_.size() && partners_[i] < tokens_.size() ? std::optional(partners_[i]) : std::nullopt;
}

void Code::find_functions() {
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    const auto close = partner(i);
    if (text(i) != "(" || !close || text(*close + 1) != "{" || !partner(*close + 1)) continue;
    if (is(i - 1, Lexeme::Kind::name) && !is_control(text(i - 1)))
      functions_.push_back(function_with(i, *close + 1));
  }
}

Function Code::function_with(std::size_t open, std::size_t body) const {
  Function made;
  for (std::size_t i = open; i > 0 && text(i - 1) != ";" && text(i - 1) != "}" && text(i - 1) != "{"; --i) {
    made.is_kernel |= text(i - 1) == "__global__";
    made.is_on_device |= text(i - 1) == "__device__" || text(i - 1) == "__global__";
  }
  made.parameters = arguments(open);
  for (const Range& parameter : made.parameters) {
    bool integer = false, pointer = false;
    for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
      integer |= is_integer_type(text(i));
      pointer |= text(i) == "*" || text(i) == "&" || text(i) == "[";
    }
    if (integer && !pointer) made.integers.push_back(text(parameter.end - 1));
  }
  made.body = {body + 1, *partner(body)};
  return made;
}

const Function* Code::function_at(std::size_t token) const {
  const Function* innermost = nullptr;
  for (const Function& function : functions_)
    if (function.body.contains(token)) innermost = &function;
  return innermost;
}

std::vector<Range> Code::arguments(std::size_t open) const {
  const auto close = partner(open);
  std::vector<Range> found;
  if (!close || *close == open + 1) return found;
  std::size_t begin = open + 1;
  for (std::size_t i = open + 1; i <= *close; ++i) {
    if (i < *close && opens(text(i)) && partner(i)) i = *partner(i);
    if (text(i) != "," && i != *close) continue;
    found.push_back({begin, i});
    begin = i + 1;
  }
  return found;
}

Range Code::statement_at(std::size_t token) const {
  const auto ends_one = [&](std::size_t i) { return text(i) == ";" || text(i) == "{" || text(i) == "}"; };
  Range found{token, token};
  while (found.begin > 0 && !ends_one(found.begin - 1)) --found.begin;
  while (found.end < size() && !ends_one(found.end)) ++found.end;
  if (text(found.end) == ";") ++found.end;
  return found;
}

std::optional<Range> Code::statement_before(std::size_t token) const {
  if (token == 0 || (text(token - 1) != ";" && text(token - 1) != "}")) return std::nullopt;
  std::size_t begin = token - 1;
  if (text(begin) == "}") begin = partner(begin).value_or(0);
  while (begin > 0) {
    const std::string_view previous = text(begin - 1);
    if (previous == ";" || previous == "{" || previous == "}") break;
    begin = closes(previous) ? partner(begin - 1).value_or(0) : begin - 1;
  }
  if (text(begin) == "else" || begin == 0) return std::nullopt;
  return Range{begin, token};
}

std::optional<Range> Code::statement_after(std::size_t token) const {
  std::size_t i = token;
  while (i < size() && (is_control(text(i)) || text(i) == "(" || text(i) == "[")) {
    if (is_control(text(i))) ++i;
    i = partner(i).value_or(size()) + 1;
  }
  while (i < size() && text(i) != ";" && text(i) != "{" && text(i) != "}")
    i = opens(text(i)) ? partner(i).value_or(size()) + 1 : i + 1;
  if (i >= size() || text(i) == "}") return std::nullopt;
  const std::size_t end = (text(i) == "{" ? partner(i).value_or(size()) : i) + 1;
  if (end > size() || text(end) == "else") return std::nullopt;
  return Range{token, end};
}

bool is_spaced(const Code& code, std::size_t i) {
  const std::size_t begin = code.begins(i), end = code.ends(i);
  return begin > 0 && is_blank(code.source()[begin - 1]) && end < code.source().size() &&
         is_blank(code.source()[end]);
}

}  // namespace grader::mutants
