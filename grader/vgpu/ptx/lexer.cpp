#include "vgpu/ptx/lexer.hpp"

#include <utility>

#include <fmt/format.h>

#include "vgpu/ptx/literal.hpp"

namespace vgpu::ptx {
namespace {

constexpr std::size_t kShownCharacters = 60;

// isalpha() and related functions accept bytes above 127 in some locales.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_start(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

}  // namespace

void fail(std::uint32_t ptx_line, std::string what) { throw Failure{{ptx_line, std::move(what)}}; }

std::string in_quotes(std::string_view name) {
  if (name.size() <= kShownCharacters) return fmt::format("'{}'", name);
  return fmt::format("'{}…'", name.substr(0, kShownCharacters));
}

std::string shown(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::string:
      return "a string";
    case TokenKind::dot_word:
      return in_quotes(fmt::format(".{}", token.text.substr(0, kShownCharacters + 1)));
    default:
      return in_quotes(token.text);
  }
}

// The stream looks ahead by one token.
Token TokenStream::take() { return std::exchange(next_, scan()); }

bool TokenStream::is(char punctuation) const {
  return next_.kind == TokenKind::punctuation && next_.text.front() == punctuation;
}

bool TokenStream::is_dot_word(std::string_view word) const {
  return next_.kind == TokenKind::dot_word && next_.text == word;
}

bool TokenStream::accept(char punctuation) {
  const bool found = is(punctuation);
  if (found) take();
  return found;
}

bool TokenStream::accept_dot_word(std::string_view word) {
  const bool found = is_dot_word(word);
  if (found) take();
  return found;
}

void TokenStream::expect(char punctuation, std::string_view where) {
  if (!accept(punctuation)) fail_expected(fmt::format("'{}' {}", punctuation, where));
}

Token TokenStream::expect(TokenKind kind, std::string_view what) {
  if (next_.kind != kind) fail_expected(what);
  return take();
}

std::uint64_t TokenStream::expect_count(std::string_view what, std::uint64_t limit) {
  const Token token = expect(TokenKind::integer, what);
  const std::uint64_t value = literal(token).bits;
  if (value > limit) fail(token.line, fmt::format("{} is {} when at most {} is allowed", what, value, limit));
  return value;
}

void TokenStream::fail_expected(std::string_view what) const {
  fail(next_.line, fmt::format("expected {}, found {}", what, shown(next_)));
}

Token TokenStream::scan() {
  skip_blank();
  const char c = at(position_);
  // at() returns NUL beyond the end, and the text can contain a NUL, too: only the position decides.
  if (position_ >= text_.size()) return token(TokenKind::end, position_, position_);
  if (is_name_start(c)) return word(TokenKind::identifier);
  if (is_digit(c)) return number();
  if (c == '.') return word(TokenKind::dot_word);
  if (c == '"') return string();
  constexpr std::string_view kPunctuation = ",;:{}[]()<>@!|+-=";
  if (kPunctuation.find(c) == std::string_view::npos) {
    const bool printable = c > ' ' && c <= '~';
    fail(line_, printable ? fmt::format("unexpected character '{}'", c)
                          : fmt::format("unexpected byte {:#04x}", static_cast<unsigned char>(c)));
  }
  ++position_;
  return token(TokenKind::punctuation, position_ - 1, position_);
}

void TokenStream::skip_blank() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') ++line_;
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && (at(position_ + 1) == '/' || at(position_ + 1) == '*')) {
      skip_comment();
    } else {
      return;
    }
  }
}

void TokenStream::skip_comment() {
  // Comments do not nest (PTX ISA, "Comments").
  const bool to_line_end = at(position_ + 1) == '/';
  const std::size_t end = text_.find(to_line_end ? "\n" : "*/", position_ + 2);
  if (end == std::string_view::npos && !to_line_end) fail(line_, "the comment '/*' has no '*/'");
  const std::size_t stop = end == std::string_view::npos ? text_.size() : to_line_end ? end : end + 2;
  for (; position_ < stop; ++position_) line_ += text_[position_] == '\n' ? 1 : 0;
}

// Takes every character that can belong to a number; literal() checks that they form one.
Token TokenStream::number() {
  const std::size_t begin = position_;
  const char prefix = text_[begin] == '0' ? static_cast<char>(at(begin + 1) | 0x20) : '\0';  // lower case
  const bool exact_float = prefix == 'f' || prefix == 'd';
  const bool decimal = !exact_float && prefix != 'x' && prefix != 'b';
  bool floating = exact_float;
  for (;; ++position_) {
    const char c = at(position_);
    const bool exponent_sign = (c == '+' || c == '-') && (at(position_ - 1) | 0x20) == 'e' && decimal;
    const bool point = c == '.' && decimal && !floating && is_digit(at(position_ + 1));
    if (!is_name_part(c) && !exponent_sign && !point) break;
    floating = floating || point || (decimal && (c | 0x20) == 'e');
  }
  return token(floating ? TokenKind::floating : TokenKind::integer, begin, position_);
}

Token TokenStream::string() {
  const std::size_t begin = ++position_;
  while (at(position_) != '"') {
    if (position_ >= text_.size() || text_[position_] == '\n') fail(line_, "the string has no closing '\"'");
    position_ += text_[position_] == '\\' && at(position_ + 1) == '"' ? 2 : 1;
  }
  return token(TokenKind::string, begin, position_++);
}

// Dot words can have parts: ".L2::128B", ".shared::cta".
Token TokenStream::word(TokenKind kind) {
  const std::size_t begin = kind == TokenKind::dot_word ? position_ + 1 : position_;
  ++position_;
  while (is_name_part(at(position_))) ++position_;
  while (kind == TokenKind::dot_word && at(position_) == ':' && at(position_ + 1) == ':') {
    position_ += 2;
    while (is_name_part(at(position_))) ++position_;
  }
  if (begin == position_) fail(line_, "expected a name after '.'");
  return token(kind, begin, position_);
}

Token TokenStream::token(TokenKind kind, std::size_t begin, std::size_t end) const {
  return {kind, text_.substr(begin, end - begin), line_};
}

}  // namespace vgpu::ptx
