// PTX text to tokens (PTX ISA, chapter 4 "Syntax"), and tests of the next token for the parsers. Tokens are
// views into the text. Errors are thrown as Failure, which parse() catches, so that no exception leaves the
// module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vgpu/ptx/module.hpp"

namespace vgpu::ptx {

struct Failure {
  ParseError error;
};

enum class TokenKind : std::uint8_t { end, identifier, dot_word, integer, floating, string, punctuation };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< a dot word without its dot, a string without its quotes
  std::uint32_t line = 0;
};

/// A token as messages show it: "'ret'", "the end of the text".
std::string shown(const Token& token);
/// A name in quotes, truncated if it is long.
std::string in_quotes(std::string_view name);

class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : text_(text) { next_ = scan(); }

  const Token& peek() const { return next_; }
  Token take();
  bool is(char punctuation) const;
  bool is_dot_word(std::string_view word) const;
  bool accept(char punctuation);
  bool accept_dot_word(std::string_view word);

  // The error is "expected <what>, found <token>".
  void expect(char punctuation, std::string_view where);
  Token expect(TokenKind kind, std::string_view what);
  /// An integer literal in [0, limit].
  std::uint64_t expect_count(std::string_view what, std::uint64_t limit);

  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  Token scan();
  void skip_blank();
  void skip_comment();
  Token number();
  Token string();
  Token word(TokenKind kind);
  Token token(TokenKind kind, std::size_t begin, std::size_t end) const;
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  Token next_;
};

[[noreturn]] void fail(std::uint32_t ptx_line, std::string what);

}  // namespace vgpu::ptx
