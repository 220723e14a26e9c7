#include "vgpu/ptx/operand.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "vgpu/ptx/literal.hpp"

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kWarpSize = 32;

// Special registers of PTX ISA, chapter 10, without the "%"; sorted. is_special_register() adds the families
// with numbers ("pm0", "envreg31").
// clang-format off
constexpr std::string_view kSpecialRegisters[] = {
    "aggr_smem_size", "clock", "clock64", "clock_hi", "cluster_ctaid", "cluster_ctarank", "cluster_nctaid",
    "cluster_nctarank", "clusterid", "ctaid", "current_graph_exec", "dynamic_smem_size", "globaltimer",
    "globaltimer_hi", "globaltimer_lo", "gridid", "is_explicit_cluster", "laneid", "lanemask_eq", "lanemask_ge",
    "lanemask_gt", "lanemask_le", "lanemask_lt", "nclusterid", "nctaid", "nsmid", "ntid", "nwarpid", "smid", "tid",
    "total_smem_size", "warpid"};
// clang-format on
static_assert(std::is_sorted(std::begin(kSpecialRegisters), std::end(kSpecialRegisters)));

bool is_special_register(std::string_view name) {
  if (std::binary_search(std::begin(kSpecialRegisters), std::end(kSpecialRegisters), name)) return true;
  return name.starts_with("envreg") || name.starts_with("pm") || name.starts_with("reserved_smem_");
}

char component_of(const Token& token) {
  const bool valid =
      token.text.size() == 1 && std::string_view("xyzw").find(token.text[0]) != std::string_view::npos;
  if (!valid) fail(token.line, fmt::format("expected .x, .y, .z or .w, found {}", shown(token)));
  return token.text[0];
}

// `call f` and `call f, (a)` and `call (r), f`: adds the empty lists, so that callers see one form.
void complete_call(std::vector<Operand>& operands, std::uint32_t ptx_line) {
  const auto is_list = [&](std::size_t i) {
    return i < operands.size() && std::holds_alternative<Vector>(operands[i].value);
  };
  if (!is_list(0)) operands.insert(operands.begin(), Operand{.value = Vector{}});
  if (operands.size() < 2 || is_list(1)) fail(ptx_line, "a call needs the name of a function or a register");
  if (!is_list(2)) operands.insert(operands.begin() + 2, Operand{.value = Vector{}});
  if (operands.size() > 4) {
    fail(ptx_line, fmt::format("a call has {} parts when it should have at most 4: "
                               "(returns), callee, (arguments), prototype",
                               operands.size()));
  }
}

}  // namespace

std::vector<Operand> OperandParser::parse(Opcode opcode, std::size_t index) {
  const std::uint32_t line = tokens_.peek().line;
  const bool is_call = opcode == Opcode::call;
  is_branch_ = opcode == Opcode::bra;
  here_.index = index;
  std::vector<Operand> operands;
  if (!tokens_.is(';')) {
    do {
      here_.item = operands.size();
      operands.push_back(is_call && tokens_.is('(') ? list('(', ')') : operand());
    } while (tokens_.accept(','));
    if (!tokens_.is(';')) tokens_.fail_expected("',' or ';' after operand");
  }
  if (is_call) complete_call(operands, line);
  return operands;
}

Operand OperandParser::operand() {
  if (tokens_.is('[')) return address();
  if (tokens_.is('{')) return list('{', '}');
  Operand result = simple();
  if (!tokens_.accept('|')) return result;
  if (tokens_.peek().text == "_") {
    tokens_.take();
  } else {
    result.second = parse_register();
  }
  return result;
}

Operand OperandParser::simple() {
  if (tokens_.accept('!')) return {.value = parse_register(), .negated = true};
  const bool negative = tokens_.accept('-');
  const Token& next = tokens_.peek();
  if (next.kind == TokenKind::integer || next.kind == TokenKind::floating) {
    const Token number = tokens_.take();
    return {.value = negative ? negative_literal(number) : literal(number)};
  }
  if (negative) tokens_.fail_expected("a number after '-'");
  if (next.kind != TokenKind::identifier) tokens_.fail_expected("an operand");
  return named();
}

Operand OperandParser::named() {
  const Token name = tokens_.take();
  if (name.text == "_") return {};
  if (name.text == "WARP_SZ") return {.value = Immediate{kWarpSize, Type::s64}};
  auto meaning = names_.find(name.text);
  // A label can have the name of a variable.
  if (is_branch_ && std::holds_alternative<std::string>(meaning)) meaning = {};
  if (const auto* known = std::get_if<Register>(&meaning)) {
    if (tokens_.peek().kind != TokenKind::dot_word) return {.value = *known};
    return {.value = Symbol{fmt::format("{}.{}", name.text, tokens_.take().text)}};
  }
  if (auto* known = std::get_if<std::string>(&meaning)) return {.value = Symbol{std::move(*known)}};
  // A label or function that is declared later.
  if (name.text.front() != '%') {
    here_.name = name.text;
    here_.ptx_line = name.line;
    names_.use_later(here_);
    return {.value = Symbol{std::string(name.text)}};
  }
  const std::string_view special = name.text.substr(1);
  if (!is_special_register(special)) {
    fail(name.line, fmt::format("register {} is not declared", in_quotes(name.text)));
  }
  const bool has_component = tokens_.peek().kind == TokenKind::dot_word;
  return {.value =
              SpecialRegister{std::string(special), has_component ? component_of(tokens_.take()) : '\0'}};
}

Register OperandParser::parse_register() {
  const Token name = tokens_.expect(TokenKind::identifier, "a register");
  const auto meaning = names_.find(name.text);
  if (const auto* known = std::get_if<Register>(&meaning)) return *known;
  fail(name.line, fmt::format("register {} is not declared", in_quotes(name.text)));
}

// [base], [base + offset] or [offset]; a comma and the coordinates can follow for a texture or a tensor map.
Operand OperandParser::address() {
  tokens_.expect('[', "before an address");
  const Token first = tokens_.peek();
  Operand base = simple();
  Address result;
  if (const auto* known = std::get_if<Register>(&base.value); known != nullptr && !base.negated) {
    result.base = *known;
  } else if (auto* symbol = std::get_if<Symbol>(&base.value)) {
    result.base = std::move(*symbol);
  } else if (const auto* number = std::get_if<Immediate>(&base.value)) {
    result.offset = static_cast<std::int64_t>(number->bits);
  } else {
    fail(first.line,
         fmt::format("expected a register, a variable or a number in '[ ]', found {}", shown(first)));
  }
  if (!std::holds_alternative<std::monostate>(result.base)) result.offset = offset();
  Operand whole{.value = std::move(result)};
  if (tokens_.is(',')) {
    Vector parts{{std::move(whole)}};
    while (tokens_.accept(',')) parts.elements.push_back(tokens_.is('{') ? list('{', '}') : simple());
    whole = Operand{.value = std::move(parts)};
  }
  tokens_.expect(']', "after an address");
  return whole;
}

std::int64_t OperandParser::offset() {
  const bool minus = tokens_.is('-');
  if (!tokens_.accept('+') && !minus) return 0;
  const bool negative = tokens_.accept('-');
  const Token number = tokens_.expect(TokenKind::integer, "a number of bytes");
  return static_cast<std::int64_t>((negative ? negative_literal(number) : literal(number)).bits);
}

Operand OperandParser::list(char open, char close) {
  tokens_.expect(open, "before a list");
  Vector result;
  if (!tokens_.is(close)) {
    do {
      result.elements.push_back(simple());
    } while (tokens_.accept(','));
  }
  tokens_.expect(close, "or ',' in a list");
  return {.value = std::move(result)};
}

}  // namespace vgpu::ptx
