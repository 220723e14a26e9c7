#include "similarity/lexemes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/ascii.hpp"

namespace grader::similarity {
namespace {

using namespace std::string_view_literals;

/// The longest punctuators come first.
constexpr std::array kPunctuators = {"<<<"sv, ">>>"sv, "<<="sv, ">>="sv, "..."sv, "->"sv, "++"sv,
                                     "--"sv,  "<<"sv,  ">>"sv,  "<="sv,  ">="sv,  "=="sv, "!="sv,
                                     "&&"sv,  "||"sv,  "+="sv,  "-="sv,  "*="sv,  "/="sv, "%="sv,
                                     "&="sv,  "|="sv,  "^="sv,  "::"sv};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : rest_(source) {}

  std::vector<Lexeme> run() {
    while (!rest_.empty()) step();
    return std::move(lexemes_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (rest_.starts_with("//")) return skip_line();
    if (rest_.starts_with("/*")) return drop(past("*/", 2));
    if (c == '#' && is_line_start_ && is_include()) return skip_line();
    if (c == '\\' || std::isspace(static_cast<unsigned char>(c)) != 0) return drop(1);
    is_line_start_ = false;
    if (starts_name(c)) return take_name();
    if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) return take_number();
    if (c == '"') return take_quoted(Lexeme::Kind::string);
    if (c == '\'') return take_quoted(Lexeme::Kind::character);
    take_punctuator();
  }

  void drop(std::size_t count) {
    for (const char c : rest_.substr(0, count)) {
      if (c != '\n') continue;
      ++line_;
      is_line_start_ = true;
    }
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  /// A backslash at the end of a line continues the line.
  void skip_line() {
    std::size_t end = rest_.find('\n');
    // A backslash at the end of a line continues it (C++ standard, [lex.phases]).
    while (end != std::string_view::npos && end > 0 && rest_[end - 1] == '\\')
      end = rest_.find('\n', end + 1);
    drop(std::min(end, rest_.size()));
  }

  std::size_t past(std::string_view end, std::size_t from) const {
    const std::size_t found = rest_.find(end, from);
    return found == std::string_view::npos ? rest_.size() : found + end.size();
  }

  bool is_include() const {
    const std::size_t word = rest_.find_first_not_of(" \t", 1);
    return word != std::string_view::npos && rest_.substr(word).starts_with("include");
  }

  void take(Lexeme::Kind kind, std::size_t length) {
    lexemes_.push_back({kind, rest_.substr(0, length), line_});
    drop(length);
  }

  void take_name() {
    std::size_t length = 1;
    while (length < rest_.size() && continues_name(rest_[length])) ++length;
    const std::string_view name = rest_.substr(0, length);
    // The prefixes of raw strings: R, LR, uR, UR, u8R (C++ standard, [lex.string]).
    if (name.ends_with('R') && name.size() <= 3 && rest_.substr(length).starts_with('"'))
      return take_raw_string(length);
    take(Lexeme::Kind::name, length);
  }

  void take_number() {
    std::size_t length = 1;
    while (length < rest_.size() && (continues_name(rest_[length]) || rest_[length] == '.' ||
                                     rest_[length] == '\'' || is_exponent_sign(length)))
      ++length;
    take(Lexeme::Kind::number, length);
  }

  bool is_exponent_sign(std::size_t at) const {
    return (rest_[at] == '+' || rest_[at] == '-') && (rest_[at - 1] == 'e' || rest_[at - 1] == 'E');
  }

  /// A literal ends at the end of the line at the latest.
  void take_quoted(Lexeme::Kind kind) {
    const char quote = rest_.front();
    std::size_t length = 1;
    while (length < rest_.size() && rest_[length] != quote && rest_[length] != '\n')
      length += rest_[length] == '\\' ? 2U : 1U;
    take(kind, std::min(length + 1, rest_.size()));
  }

  /// R"end( … )end"
  void take_raw_string(std::size_t prefix) {
    const std::size_t open = rest_.find('(', prefix);
    constexpr std::size_t kLongestDelimiter = 16;
    if (open == std::string_view::npos || open > prefix + 1 + kLongestDelimiter)
      return take(Lexeme::Kind::string, prefix + 1);
    const std::string end = ")" + std::string(rest_.substr(prefix + 1, open - prefix - 1)) + "\"";
    take(Lexeme::Kind::string, past(end, open));
  }

  void take_punctuator() {
    const auto found = std::find_if(kPunctuators.begin(), kPunctuators.end(),
                                    [&](std::string_view text) { return rest_.starts_with(text); });
    take(Lexeme::Kind::punctuator, found == kPunctuators.end() ? 1 : found->size());
  }

  std::string_view rest_;
  std::uint32_t line_ = 1;
  bool is_line_start_ = true;
  std::vector<Lexeme> lexemes_;
};

}  // namespace

std::vector<Lexeme> lexemes_of(std::string_view source) { return Lexer(source).run(); }

}  // namespace grader::similarity
