// A source file as the mutation rules read it: tokens with their brackets, functions and statements.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "similarity/lexemes.hpp"

namespace grader::mutants {

using similarity::Lexeme;

/// Token numbers, without `end`.
struct Range {
  std::size_t begin = 0, end = 0;
  bool contains(std::size_t token) const { return begin <= token && token < end; }
};

struct Function {
  bool is_kernel = false, is_on_device = false;  ///< __global__; __global__ or __device__
  std::vector<Range> parameters;
  std::vector<std::string_view> integers;  ///< names of the parameters that are integers, no pointers
  Range body;                              ///< without the braces
};

class Code {
 public:
  explicit Code(std::string_view source);

  std::string_view source() const { return source_; }
  std::size_t size() const { return tokens_.size(); }
  const Lexeme& token(std::size_t i) const { return tokens_[i]; }
  /// Empty past the ends, so that rules can look at neighbours without a test.
  std::string_view text(std::size_t i) const { return i < tokens_.size() ? tokens_[i].text : ""; }
  bool is(std::size_t i, Lexeme::Kind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }

  std::size_t begins(std::size_t i) const;  ///< the byte at which the token begins
  std::size_t ends(std::size_t i) const { return begins(i) + text(i).size(); }
  std::string_view text(Range range) const;  ///< the source from the first token to the last

  /// The other bracket of a pair ( ), [ ], { } or <<< >>>; nullopt for other tokens and without a partner.
  std::optional<std::size_t> partner(std::size_t i) const;
  const std::vector<Function>& functions() const { return functions_; }
  const Function* function_at(std::size_t token) const;

  /// The arguments between the brackets that open at `open`.
  std::vector<Range> arguments(std::size_t open) const;
  /// The statement that contains the token: after the last `;`, `{` or `}`, through the next `;`.
  Range statement_at(std::size_t token) const;
  /// The statement that ends before `token` in the same block, with its `if`, `for` or `while`; nullopt if
  /// there is none or it is a part of a larger one.
  std::optional<Range> statement_before(std::size_t token) const;
  std::optional<Range> statement_after(std::size_t token) const;  ///< `token` is its first token

 private:
  void find_brackets();
  void find_functions();
  Function function_with(std::size_t open, std::size_t body) const;

  std::string_view source_;
  std::vector<Lexeme> tokens_;
  std::vector<std::size_t> partners_;  ///< tokens_.size(): none
  std::vector<Function> functions_;
};

/// True if blanks surround the token: it is an operator between two operands, not a sign or a template's
/// bracket.
bool is_spaced(const Code& code, std::size_t i);

}  // namespace grader::mutants
