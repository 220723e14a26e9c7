#include "judge/declarations.hpp"

#include <charconv>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

/// Constants of the labs' headers (labs/include).
struct HeaderConstant {
  std::string_view name;
  std::uint64_t value;
};
constexpr HeaderConstant kHeaderConstants[] = {{"lab::kMaxRadius", 8}, {"lab::kLevels", 8}};

/// Evaluates "2 * (kWidth + kRadius)": natural numbers, names of constants, + - * / % and parentheses.
class Constants {
 public:
  using Value = std::optional<std::uint64_t>;

  explicit Constants(const SourceText& source) : source_(source) {}

  Value of(std::string_view expression) {
    const std::string_view before = std::exchange(rest_, expression);
    ++depth_;
    const Value value = depth_ < kMaxDepth ? sum() : std::nullopt;
    --depth_;
    const bool is_whole = trimmed(rest_).empty();
    rest_ = before;
    return is_whole ? value : std::nullopt;
  }

  /// Of a name that a line of the file defines.
  Value of_name(std::string_view name) {
    for (const HeaderConstant& one : kHeaderConstants)
      if (one.name == name) return one.value;
    for (const std::string& line : source_.lines) {
      const std::string_view code = code_of(line);
      const bool is_macro = contains_word(code, "define");
      if (!is_macro && !contains_word(code, "constexpr") && !contains_word(code, "const")) continue;
      auto value = after_word(code, name);
      if (!value) continue;
      *value = trimmed(value->substr(0, value->find(';')));
      if (!is_macro && value->starts_with('='))
        value->remove_prefix(1);
      else if (!is_macro)
        continue;
      if (const Value number = of(*value)) return number;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 16;  // of names and parentheses: definitions can be circular

  char next() {
    rest_ = trimmed(rest_);
    return rest_.empty() ? '\0' : rest_.front();
  }
  Value sum() {
    Value left = product();
    for (char sign = next(); left && (sign == '+' || sign == '-'); sign = next()) {
      rest_.remove_prefix(1);
      const Value right = product();
      if (!right || (sign == '-' && *right > *left)) return std::nullopt;
      left = sign == '+' ? *left + *right : *left - *right;
    }
    return left;
  }
  Value product() {
    Value left = factor();
    for (char sign = next(); left && (sign == '*' || sign == '/' || sign == '%'); sign = next()) {
      rest_.remove_prefix(1);
      const Value right = factor();
      if (!right || (sign != '*' && *right == 0)) return std::nullopt;
      left = sign == '*' ? *left * *right : sign == '/' ? *left / *right : *left % *right;
    }
    return left;
  }
  Value factor() {
    if (next() == '(') {
      if (++depth_ > kMaxDepth) return std::nullopt;
      rest_.remove_prefix(1);
      const Value inner = sum();
      --depth_;
      if (next() != ')') return std::nullopt;
      rest_.remove_prefix(1);
      return inner;
    }
    std::size_t end = 0;
    while (end < rest_.size() && (is_word_character(rest_[end]) || rest_[end] == ':')) ++end;
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (word.empty()) return std::nullopt;
    const Value number = number_in(word);
    return number ? number : of_name(word);
  }

  const SourceText& source_;
  std::string_view rest_;
  int depth_ = 0;
};

/// Between the last pair of brackets of "[16][kWidth];"; nullopt if there are not `expected` pairs.
std::optional<std::string_view> last_extent(std::string_view extents, std::size_t expected) {
  std::string_view extent;
  std::size_t pairs = 0;
  for (extents = trimmed(extents); extents.starts_with('['); ++pairs) {
    const std::size_t end = extents.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    extent = extents.substr(1, end - 1);
    extents = trimmed(extents.substr(end + 1));
  }
  return pairs == expected ? std::optional(extent) : std::nullopt;
}

/// "c_weights" of "__constant__ float c_weights[289];"; "": no declaration of a variable, or several in one.
std::string declared_on_device(std::string_view code) {
  if (!contains_word(code, "__constant__") && !contains_word(code, "__device__")) return "";
  if (code.find('(') != std::string_view::npos || code.find(',') != std::string_view::npos) return "";
  return last_word(trimmed(code.substr(0, code.find_first_of("[=;"))));
}

}  // namespace

std::string device_variable_in(const SourceText& source, std::uint32_t line) {
  if (line == 0 || line > source.lines.size()) return "";
  const std::string_view code = code_of(source.lines[line - 1]);
  for (const std::string& other : source.lines) {
    const std::string name = declared_on_device(code_of(other));
    if (!name.empty() && &other != &source.lines[line - 1] && contains_word(code, name)) return name;
  }
  return "";
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> constant(const SourceText& source, std::string_view name) {
  return Constants(source).of_name(name);
}

std::optional<std::size_t> extents_of(const SourceText& source, std::string_view array) {
  std::optional<std::size_t> found;
  for (const std::string& line : source.lines) {
    const std::string_view code = code_of(line);
    auto rest = contains_word(code, "__shared__") ? after_word(code, array) : std::nullopt;
    if (!rest) continue;
    std::size_t count = 0;
    for (*rest = trimmed(*rest); rest->starts_with('['); ++count) {
      const std::size_t end = rest->find(']');
      if (end == std::string_view::npos || trimmed(rest->substr(1, end - 1)).empty()) return std::nullopt;
      *rest = trimmed(rest->substr(end + 1));
    }
    if (found && *found != count) return std::nullopt;
    found = count;
  }
  return found;
}

namespace {

/// The last extent of the array, which has `count` extents.
std::optional<std::uint64_t> extent_of(const SourceText& source, std::string_view array, std::size_t count) {
  std::optional<std::uint64_t> length;
  for (const std::string& line : source.lines) {
    const std::string_view code = code_of(line);
    const auto extents = contains_word(code, "__shared__") ? after_word(code, array) : std::nullopt;
    if (!extents) continue;
    const auto extent = last_extent(*extents, count);
    const auto found = extent ? Constants(source).of(*extent) : std::nullopt;
    if (!found || *found == 0 || (length && *length != *found)) return std::nullopt;
    length = found;
  }
  return length;
}

}  // namespace

std::optional<std::uint64_t> row_length(const SourceText& source, std::string_view array) {
  return extent_of(source, array, 2);
}

std::optional<std::uint64_t> vector_length(const SourceText& source, std::string_view array) {
  return extent_of(source, array, 1);
}

}  // namespace grader
