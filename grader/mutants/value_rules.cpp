#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "mutants/rules.hpp"

namespace grader::mutants {
namespace {

using namespace std::string_view_literals;

bool is_capital(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

/// constant: an integer is one more or one less. A mask in hexadecimal loses its upper half of ones.
void mutate_integer(std::string_view text, std::size_t i, Sink& sink) {
  const bool is_hex = text.starts_with("0x");
  const char* end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value, is_hex ? 16 : 10);
  const std::string suffix(read.ptr, end);
  if (is_hex) return sink.replace("constant", i, fmt::format("{:#x}{}", value >> 16U, suffix));
  sink.replace("constant", i, fmt::format("{}{}", value + 1, suffix));
  if (value > 0) sink.replace("constant", i, fmt::format("{}{}", value - 1, suffix));
}

/// initial-value: a sum that does not begin at 0; a minimum or maximum that does not begin at infinity.
void mutate_number(const Code& code, std::size_t i, Sink& sink) {
  const std::string_view text = code.text(i);
  const bool is_float = text.find('.') != std::string_view::npos && !text.starts_with("0x");
  if (is_float) return sink.replace("initial-value", i, text == "0.0f" ? "1.0f" : "0.0f");
  mutate_integer(text, i, sink);
}

void mutate_infinity(const Code& code, std::size_t i, Sink& sink) {
  if (code.text(i) != "INFINITY" && code.text(i) != "HUGE_VALF") return;
  for (const char* value : {"0.0f", "1e9f", "3.402823466e+38f"}) sink.replace("initial-value", i, value);
}

/// tunable: a named constant is used with one more.
void mutate_named_constant(const Code& code, std::size_t i, Sink& sink) {
  const std::string_view text = code.text(i);
  const bool is_constant = text.size() > 1 && text[0] == 'k' && is_capital(text[1]);
  if (!is_constant || code.function_at(i) == nullptr) return;
  const bool is_declared_here = code.text(i - 1) == "int" || code.text(i - 1) == "unsigned";
  if (is_declared_here || code.text(i + 1) == "::") return;
  const Range whole{code.text(i - 1) == "::" ? i - 2 : i, i + 1};
  sink.replace("tunable", whole, fmt::format("({} + 1)", code.text(whole)));
}

/// operator: + for -, * for +, … A compound assignment loses what the variable had.
void mutate_operator(const Code& code, std::size_t i, Sink& sink) {
  static const std::map<std::string_view, const char*> kOthers = {
      {"+", "-"}, {"-", "+"}, {"*", "+"}, {"/", "*"}, {"%", "/"}, {"+=", "="}, {"-=", "="}, {"*=", "="}};
  const auto other = kOthers.find(code.text(i));
  if (other == kOthers.end() || !is_spaced(code, i) || code.function_at(i) == nullptr) return;
  sink.replace("operator", i, other->second);
}

bool mentions(const Code& code, Range range, std::string_view word) {
  for (std::size_t i = range.begin; i < range.end; ++i)
    if (code.text(i) == word) return true;
  return false;
}

bool is_parameter_on_device(const Code& code, std::size_t i) {
  for (const Function& function : code.functions())
    for (const Range& parameter : function.parameters)
      if (function.is_on_device && parameter.contains(i)) return true;
  return false;
}

bool is_small_number(const Code& code, std::size_t i) {
  const std::string_view text = code.text(i);
  return code.is(i, Lexeme::Kind::number) || (text.size() > 1 && text[0] == 'k' && is_capital(text[1]));
}

/// True for `int` in `for (int i = 0; i < kTile; …`.
bool counts_to_constant(const Code& code, std::size_t i) {
  if (code.text(i - 1) != "(" || code.text(i - 2) != "for") return false;
  const std::size_t condition = code.statement_at(i).end;
  return is_small_number(code, code.statement_at(condition).end - 2);
}

/// True for `int` in `const int row = …` and `for (int i = …`: a variable whose value depends on an extent. A
/// thread's own place in its block fits every type, and so does a counter up to a constant.
bool is_large_variable(const Code& code, std::size_t i) {
  const Range statement = code.statement_at(i);
  const bool is_own_place = mentions(code, statement, "threadIdx") && !mentions(code, statement, "blockIdx");
  return code.function_at(i) != nullptr && !is_own_place && !mentions(code, statement, "constexpr") &&
         code.is(i + 1, Lexeme::Kind::name) && code.text(i + 2) == "=" &&
         !is_small_number(code, statement.end - 2) && !counts_to_constant(code, i);
}

/// narrow-type: an index or an extent that is too narrow for large inputs. On the host, a count of blocks.
void mutate_type(const Code& code, std::size_t i, Sink& sink) {
  const std::string_view text = code.text(i);
  if (text != "int" && text != "unsigned" && text != "size_t") return;
  if (!code.is(i + 1, Lexeme::Kind::name) || code.text(i + 1) == "int") return;
  if (is_parameter_on_device(code, i)) return sink.replace("narrow-type", i, "unsigned short");
  if (!is_large_variable(code, i)) return;
  const bool is_on_device = code.function_at(i)->is_on_device;
  sink.replace("narrow-type", i,
               is_on_device ? code.text(i - 1) == "(" ? "unsigned short" : "short" : "signed char");
}

/// swapped-xy: the other dimension of a built-in variable, or the other name of a pair.
void mutate_dimension(const Code& code, std::size_t i, Sink& sink) {
  static const std::map<std::string_view, std::string_view> kPairs = {
      {"tx", "ty"}, {"ty", "tx"}, {"row", "col"}, {"col", "row"}, {"x", "y"}, {"y", "x"}};
  static constexpr std::array kBuiltIns = {"threadIdx"sv, "blockIdx"sv, "blockDim"sv, "gridDim"sv};
  const auto pair = kPairs.find(code.text(i));
  const Function* function = code.function_at(i);
  if (pair == kPairs.end() || function == nullptr) return;
  const bool is_built_in = code.text(i - 1) == "." &&
                           std::find(kBuiltIns.begin(), kBuiltIns.end(), code.text(i - 2)) != kBuiltIns.end();
  const bool is_declared_here = code.is(i - 1, Lexeme::Kind::name) && code.text(i - 1) != "return";
  const bool is_free =
      code.text(i).size() > 1 && code.text(i - 1) != "." && code.text(i - 1) != "->" && !is_declared_here;
  bool other_exists = false;
  for (std::size_t j = function->body.begin; j < function->body.end; ++j)
    other_exists |= code.text(j) == pair->second && code.text(j - 1) != ".";
  if (is_built_in || (is_free && other_exists)) sink.replace("swapped-xy", i, std::string(pair->second));
}

/// fixed-launch: the kernel expects one geometry. no-block: every block works on the first block's elements.
void mutate_geometry(const Code& code, std::size_t i, Sink& sink) {
  const Range whole{i, i + 3};
  if (code.text(i + 1) != ".") return;
  if (code.text(i) == "blockIdx") sink.replace("no-block", whole, "0");
  if (code.text(i) == "blockDim") sink.replace("fixed-launch", whole, code.text(i + 2) == "x" ? "256" : "16");
  if (code.text(i) == "gridDim") sink.replace("fixed-launch", whole, "96");
}

/// index-offset: the neighbour of the element.
void mutate_subscript(const Code& code, std::size_t i, Sink& sink) {
  if (code.text(i) != "]" || code.function_at(i) == nullptr || code.text(i - 1) == "[") return;
  const Range statement = code.statement_at(i);
  std::size_t assigned = statement.begin;
  while (assigned < i && code.text(assigned) != "=") ++assigned;
  const bool is_declaration = code.is(statement.begin, Lexeme::Kind::name) &&
                              code.is(statement.begin + 1, Lexeme::Kind::name) && assigned == i &&
                              code.text(statement.begin) != "return" && code.text(statement.begin) != "else";
  const bool is_capture = code.text(*code.partner(i) - 1) == "=";
  if (!is_declaration && !is_capture) sink.insert_before("index-offset", i, " + 1");
}

}  // namespace

void add_value_mutants(const Code& code, Sink& sink) {
  for (std::size_t i = 2; i + 2 < code.size(); ++i) {
    if (code.is(i, Lexeme::Kind::number)) mutate_number(code, i, sink);
    if (code.is(i, Lexeme::Kind::punctuator)) mutate_operator(code, i, sink);
    mutate_subscript(code, i, sink);
    if (!code.is(i, Lexeme::Kind::name)) continue;
    mutate_infinity(code, i, sink);
    mutate_named_constant(code, i, sink);
    mutate_type(code, i, sink);
    mutate_dimension(code, i, sink);
    mutate_geometry(code, i, sink);
  }
}

}  // namespace grader::mutants
