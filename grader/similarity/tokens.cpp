#include "similarity/tokens.hpp"

#include <algorithm>
#include <array>

#include "base/contains.hpp"
#include "similarity/lexemes.hpp"

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

/// FNV-1a, 32 bits.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
  return value;
}

bool is_given(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__") || contains(kKeywords, name);
}

/// Lexemes that count as equal get the same text.
std::string_view text_of(const Lexeme& lexeme) {
  switch (lexeme.kind) {
    case Lexeme::Kind::name:
      return is_given(lexeme.text) ? lexeme.text : "a name";
    case Lexeme::Kind::number:
      return "0";
    case Lexeme::Kind::string:
      return "\"";
    case Lexeme::Kind::character:
      return "'";
    case Lexeme::Kind::punctuator:
      break;
  }
  return lexeme.text;
}

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  std::vector<Token> tokens;
  for (const Lexeme& lexeme : lexemes_of(source))
    if (lexeme.kind != Lexeme::Kind::name || !contains(kQualifiers, lexeme.text))
      tokens.push_back({hash(text_of(lexeme)), lexeme.line});
  return tokens;
}

}  // namespace grader::similarity
