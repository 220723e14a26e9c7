#include "similarity/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace grader::similarity {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKeywords = {
    "alignas"sv, "alignof"sv,   "asm"sv,       "auto"sv,      "bool"sv,      "break"sv,     "case"sv,
    "catch"sv,   "char"sv,      "class"sv,     "continue"sv,  "decltype"sv,  "default"sv,   "delete"sv,
    "do"sv,      "double"sv,    "else"sv,      "enum"sv,      "explicit"sv,  "false"sv,     "float"sv,
    "for"sv,     "goto"sv,      "if"sv,        "int"sv,       "long"sv,      "namespace"sv, "new"sv,
    "nullptr"sv, "operator"sv,  "private"sv,   "public"sv,    "return"sv,    "short"sv,     "signed"sv,
    "sizeof"sv,  "struct"sv,    "switch"sv,    "template"sv,  "this"sv,      "throw"sv,     "true"sv,
    "try"sv,     "typedef"sv,   "typename"sv,  "union"sv,     "unsigned"sv,  "using"sv,     "void"sv,
    "while"sv,   "threadIdx"sv, "blockIdx"sv,  "blockDim"sv,  "gridDim"sv,   "warpSize"sv,  "dim3"sv,
    "float2"sv,  "float4"sv,    "atomicAdd"sv, "atomicMin"sv, "atomicMax"sv, "atomicCAS"sv};

constexpr std::array kQualifiers = {"const"sv,    "constexpr"sv,    "static"sv,
                                    "inline"sv,   "extern"sv,       "volatile"sv,
                                    "register"sv, "__restrict__"sv, "__forceinline__"sv};

/// Longest first.
constexpr std::array kPunctuators = {"<<<"sv, ">>>"sv, "<<="sv, ">>="sv, "..."sv, "->"sv, "++"sv,
                                     "--"sv,  "<<"sv,  ">>"sv,  "<="sv,  ">="sv,  "=="sv, "!="sv,
                                     "&&"sv,  "||"sv,  "+="sv,  "-="sv,  "*="sv,  "/="sv, "%="sv,
                                     "&="sv,  "|="sv,  "^="sv,  "::"sv};

constexpr std::string_view kName = "a name", kNumber = "0", kString = "\"", kCharacter = "'";

template <class Words>
bool is_one_of(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// FNV-1a, 32 bits.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
  return value;
}

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_given(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__") || is_one_of(kKeywords, name);
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : rest_(source) {}

  std::vector<Token> run() {
    while (!rest_.empty()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (rest_.starts_with("//")) return skip_line();
    if (rest_.starts_with("/*")) return skip_past("*/", 2);
    if (c == '#' && is_line_start_ && is_include()) return skip_line();
    if (c == '\\' || std::isspace(static_cast<unsigned char>(c)) != 0) return drop(1);
    is_line_start_ = false;
    if (starts_name(c)) return take_name();
    if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) return take_number();
    if (c == '"') return take_quoted(kString, '"');
    if (c == '\'') return take_quoted(kCharacter, '\'');
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

  /// A backslash at its end continues a line.
  void skip_line() {
    std::size_t end = rest_.find('\n');
    while (end != std::string_view::npos && end > 0 && rest_[end - 1] == '\\')
      end = rest_.find('\n', end + 1);
    drop(std::min(end, rest_.size()));
  }

  void skip_past(std::string_view end, std::size_t from) {
    const std::size_t found = rest_.find(end, from);
    drop(found == std::string_view::npos ? rest_.size() : found + end.size());
  }

  bool is_include() const {
    const std::size_t word = rest_.find_first_not_of(" \t", 1);
    return word != std::string_view::npos && rest_.substr(word).starts_with("include");
  }

  void add(std::string_view text) { tokens_.push_back({hash(text), line_}); }

  void take_name() {
    std::size_t length = 1;
    while (length < rest_.size() && continues_name(rest_[length])) ++length;
    const std::string_view name = rest_.substr(0, length);
    if (name.ends_with('R') && name.size() <= 3 && rest_.substr(length).starts_with('"'))
      return take_raw_string(length);
    if (!is_one_of(kQualifiers, name)) add(is_given(name) ? name : kName);
    drop(length);
  }

  void take_number() {
    std::size_t length = 1;
    while (length < rest_.size() && (continues_name(rest_[length]) || rest_[length] == '.' ||
                                     rest_[length] == '\'' || is_exponent_sign(length)))
      ++length;
    add(kNumber);
    drop(length);
  }

  bool is_exponent_sign(std::size_t at) const {
    return (rest_[at] == '+' || rest_[at] == '-') && (rest_[at - 1] == 'e' || rest_[at - 1] == 'E');
  }

  /// Ends at the line's end at the latest.
  void take_quoted(std::string_view kind, char quote) {
    std::size_t length = 1;
    while (length < rest_.size() && rest_[length] != quote && rest_[length] != '\n')
      length += rest_[length] == '\\' ? 2U : 1U;
    add(kind);
    drop(std::min(length + 1, rest_.size()));
  }

  /// R"end( … )end"
  void take_raw_string(std::size_t prefix) {
    add(kString);
    const std::size_t open = rest_.find('(', prefix);
    constexpr std::size_t kLongestDelimiter = 16;
    if (open == std::string_view::npos || open > prefix + 1 + kLongestDelimiter) return drop(prefix + 1);
    skip_past(")" + std::string(rest_.substr(prefix + 1, open - prefix - 1)) + "\"", open);
  }

  void take_punctuator() {
    const auto found = std::find_if(kPunctuators.begin(), kPunctuators.end(),
                                    [&](std::string_view text) { return rest_.starts_with(text); });
    const std::string_view text = found == kPunctuators.end() ? rest_.substr(0, 1) : *found;
    add(text);
    drop(text.size());
  }

  std::string_view rest_;
  std::uint32_t line_ = 1;
  bool is_line_start_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).run(); }

}  // namespace grader::similarity
