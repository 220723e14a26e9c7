#include "judge/tested_index.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "judge/code_text.hpp"

namespace grader {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// What a cast of the whole text converts: "i", of "size_t(i)", "(long)i" and "static_cast<size_t>(i)"; else
/// the text.
std::string_view without_cast(std::string_view text) {
  constexpr std::string_view kCast = "static_cast<";
  if (text.starts_with(kCast) && text.ends_with(')'))
    return text.substr(std::min(text.find('>') + 1, text.size()));
  for (const std::string_view type :
       {"std::size_t", "size_t", "unsigned", "int", "long long", "long", "std::ptrdiff_t", "ptrdiff_t"}) {
    if (text.starts_with(type) && text.substr(type.size()).starts_with('(') && text.ends_with(')'))
      return text.substr(type.size());
    if (text.starts_with('(') && text.substr(1).starts_with(type) &&
        text.substr(1 + type.size()).starts_with(')'))
      return text.substr(type.size() + 2);
  }
  return text;
}

/// Without blanks at both ends, and without parentheses or a cast around the whole.
std::string_view bare(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (const std::string_view inner = without_cast(text); inner.size() < text.size()) return bare(inner);
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text;
  }
  return bare(text.substr(1, text.size() - 2));
}

std::string without_blanks(std::string_view text) {
  std::string all(text);
  all.erase(std::remove_if(all.begin(), all.end(), is_space), all.end());
  return all;
}

bool is_equal(std::string_view one, std::string_view other) {
  return without_blanks(one) == without_blanks(other);
}

/// Where `sign` occurs outside of brackets; npos: nowhere.
std::size_t find_outside(std::string_view text, char sign) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == sign && depth == 0) return i;
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
  }
  return std::string_view::npos;
}

/// Row and column of "row * width + column".
std::optional<std::pair<std::string_view, std::string_view>> row_and_column(std::string_view index) {
  const std::size_t product = find_outside(index, '*');
  if (product == std::string_view::npos) return std::nullopt;
  const std::size_t sum = find_outside(index.substr(product), '+');
  if (sum == std::string_view::npos) return std::nullopt;
  const std::string_view row = bare(index.substr(0, product)), column = bare(index.substr(product + sum + 1));
  const bool is_plain = find_outside(index.substr(0, product), '+') == std::string_view::npos;
  return row.empty() || column.empty() || !is_plain ? std::nullopt : std::optional(std::pair(row, column));
}

/// The first index for which `find` returns something.
template <class Find>
auto find_in_indices(std::string_view access, Find find) -> decltype(find(access)) {
  for (std::size_t at = access.find('['); at != std::string_view::npos; at = access.find('[', at + 1)) {
    int depth = 1;
    std::size_t end = at + 1;
    while (end < access.size() && depth > 0) {
      depth += access[end] == '[' ? 1 : access[end] == ']' ? -1 : 0;
      ++end;
    }
    if (depth != 0) return std::nullopt;
    if (const auto found = find(bare(access.substr(at + 1, end - at - 2)))) return found;
  }
  return std::nullopt;
}

/// The left sides of the comparisons with `<` and `<=`.
std::vector<std::string_view> tested_in(std::string_view condition) {
  std::vector<std::string_view> tested;
  for (std::size_t at = 0; at < condition.size(); ++at) {
    const char before = at > 0 ? condition[at - 1] : ' ',
               after = at + 1 < condition.size() ? condition[at + 1] : ' ';
    if (condition[at] != '<' || before == '<' || after == '<') continue;
    std::size_t begin = at;
    for (int depth = 0; begin > 0; --begin) {
      const char c = condition[begin - 1];
      depth += c == ')' || c == ']' ? 1 : 0;
      if (depth == 0 && (c == '(' || c == '[' || c == '&' || c == '|' || c == '?' || c == '=' || c == ';'))
        break;
      depth -= c == '(' || c == '[' ? 1 : 0;
    }
    if (const std::string_view left = bare(condition.substr(begin, at - begin)); !left.empty())
      tested.push_back(left);
  }
  return tested;
}

/// Whether the condition compares something with `< used`: then it is an extent, and the index is another
/// one.
bool is_extent(std::string_view used, std::string_view condition) {
  const std::string text = without_blanks(condition), bound = "<" + without_blanks(used);
  const std::size_t at = text.find(bound);
  if (at == std::string::npos) return false;
  const std::size_t after = at + bound.size();
  const bool goes_on = after < text.size() &&
                       (std::isalnum(static_cast<unsigned char>(text[after])) != 0 || text[after] == '_');
  return !goes_on;
}

/// The identifiers have one in common.
bool are_related(std::string_view one, std::string_view other) {
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; at < one.size(); ++at) {
    if (!is_of_word(one[at])) continue;
    std::size_t end = at;
    while (end < one.size() && is_of_word(one[end])) ++end;
    const std::string_view word = one.substr(at, end - at);
    for (std::size_t found = other.find(word); found != std::string_view::npos;
         found = other.find(word, found + 1)) {
      const bool begins = found == 0 || !is_of_word(other[found - 1]);
      const std::size_t after = found + word.size();
      if (begins && (after == other.size() || !is_of_word(other[after])) &&
          std::isdigit(static_cast<unsigned char>(word.front())) == 0)
        return true;
    }
    at = end;
  }
  return false;
}

}  // namespace

std::optional<UntestedIndex> untested_index(std::string_view code, std::string_view access) {
  const std::string with_signs = with_operators(code);
  const std::string_view condition = with_signs;
  const auto index = find_in_indices(access, row_and_column);
  const std::vector<std::string_view> tested = tested_in(condition);
  if (!index || tested.size() != 2) return std::nullopt;
  for (const bool is_row : {true, false}) {
    const std::string_view used = is_row ? index->first : index->second;
    const std::string_view partner = is_row ? index->second : index->first;
    if (is_extent(used, condition)) return std::nullopt;
    if (is_equal(used, tested[0]) || is_equal(used, tested[1])) continue;
    // The test that is not the partner's; if neither is, the related one, or the one at this place.
    std::string_view test = tested[is_row ? 0 : 1];
    if (is_equal(partner, tested[0]) || are_related(used, tested[1])) test = tested[1];
    if (is_equal(partner, tested[1]) || are_related(used, tested[0])) test = tested[0];
    return UntestedIndex{std::string(test), std::string(used), is_row};
  }
  return std::nullopt;
}

std::optional<std::string> exchanged_index(std::string_view condition, std::string_view access) {
  const std::string tests = without_blanks(with_operators(condition));
  return find_in_indices(access, [&](std::string_view index) -> std::optional<std::string> {
    const std::size_t product = find_outside(index, '*');
    const auto parts = row_and_column(index);
    if (!parts) return std::nullopt;
    const std::string_view rest = index.substr(product + 1);
    const std::string length = without_blanks(rest.substr(0, find_outside(rest, '+')));
    const std::size_t at = tests.find(without_blanks(parts->first) + "<" + length);
    const std::size_t end = at + parts->first.size() + 1 + length.size();
    const bool is_whole =
        at != std::string::npos && (end >= tests.size() || tests[end] == '&' || tests[end] == ')');
    return is_whole ? std::optional(std::string(parts->first)) : std::nullopt;
  });
}

}  // namespace grader
