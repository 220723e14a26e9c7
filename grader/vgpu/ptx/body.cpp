#include "vgpu/ptx/body.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kMaxRange = UINT32_MAX;

Space space_named(std::string_view word) {
  if (word == "shared" || word == "shared::cta") return Space::shared;
  if (word == "local") return Space::local;
  if (word == "param") return Space::param;
  if (word == "global") return Space::global;
  if (word == "const") return Space::constant;
  return Space::none;
}

}  // namespace

BodyParser::BodyParser(TokenStream& tokens, DeclarationParser& declarations, FunctionNames& names,
                       Function& function, std::vector<std::string>& files, SourceMap& source_map)
    : tokens_(tokens),
      declarations_(declarations),
      names_(names),
      function_(function),
      files_(files),
      operands_(tokens, names),
      source_map_(source_map) {
  source_map_.begin_function(function.name);
}

void BodyParser::parse() {
  const std::uint32_t first_line = tokens_.peek().line;
  const std::size_t outside = names_.depth();
  tokens_.expect('{', "before the body of a function");
  names_.open_scope(first_line);
  while (names_.depth() > outside) {
    if (tokens_.peek().kind == TokenKind::end) {
      tokens_.fail_expected(fmt::format("'}}' for the '{{' in line {} that opens the body of {}", first_line,
                                        in_quotes(function_.name)));
    }
    statement();
  }
}

void BodyParser::statement() {
  const std::uint32_t line = tokens_.peek().line;
  if (tokens_.accept('{')) return names_.open_scope(line);
  if (tokens_.accept('}')) return names_.close_scope();
  if (tokens_.accept(';')) return;
  if (tokens_.peek().kind == TokenKind::dot_word) return directive();
  auto predicate = guard();
  const Token word = tokens_.expect(TokenKind::identifier, "an instruction, a label, a directive or '}'");
  if (!predicate && tokens_.accept(':')) return label(word);
  instruction(word, predicate);
}

void BodyParser::directive() {
  if (accept_file_or_section(tokens_, files_)) return;
  if (const auto texts = accept_pragma(tokens_)) {
    if (std::find(texts->begin(), texts->end(), "nounroll") != texts->end())
      function_.not_unrolled.push_back(static_cast<std::uint32_t>(function_.code.size()));
    return;
  }
  const Token word = tokens_.take();
  if (word.text == "loc") {
    const Location read = location(tokens_);
    source_map_.add(read);
    if (function_.source.line == 0) function_.source = read.line;
  } else if (word.text == "reg") {
    registers();
  } else {
    const bool is_extern = word.text == "extern";
    const std::string_view space = is_extern ? tokens_.take().text : word.text;
    if (space_named(space) == Space::none) {
      fail(word.line, fmt::format("directive {} is not supported in a function", shown(word)));
    }
    variables(space_named(space), is_extern);
  }
}

// .reg .b32 %r<44>, %SP;
void BodyParser::registers() {
  const Type type = declarations_.type("a register type such as .b32");
  do {
    const Token name = tokens_.expect(TokenKind::identifier, "the name of a register");
    if (!tokens_.accept('<')) {
      names_.declare_register(name, type);
      continue;
    }
    names_.declare_range(name, tokens_.expect_count("the number of registers", kMaxRange), type);
    tokens_.expect('>', "after the number of registers");
  } while (tokens_.accept(','));
  tokens_.expect(';', "after a declaration");
}

void BodyParser::variables(Space space, bool is_extern) {
  for (Declaration& declaration : declarations_.variables(space, is_extern)) {
    declaration.variable.name = names_.declare_variable(declaration.name);
    function_.variables.push_back(std::move(declaration.variable));
  }
}

void BodyParser::label(const Token& name) {
  if (tokens_.accept_dot_word("branchtargets")) return branch_targets(name);
  if (tokens_.accept_dot_word("callprototype") || tokens_.accept_dot_word("calltargets")) {
    names_.declare_label(name);
    return skip_call_list();
  }
  function_.labels.push_back({names_.declare_label(name), static_cast<std::uint32_t>(function_.code.size())});
}

// targets: .branchtargets L0, L1, L2;
void BodyParser::branch_targets(const Token& name) {
  BranchTargets list{names_.declare_label(name), {}, name.line};
  do {
    const Token label = tokens_.expect(TokenKind::identifier, "a label");
    names_.use_later({label.text, label.line, function_.branch_targets.size(), list.labels.size(), true});
    list.labels.emplace_back(label.text);
  } while (tokens_.accept(','));
  tokens_.expect(';', "or ',' after a label");
  function_.branch_targets.push_back(std::move(list));
}

// The target of a call through a register is known when the call runs, so the list is not needed.
void BodyParser::skip_call_list() {
  while (!tokens_.is(';') && tokens_.peek().kind != TokenKind::end) tokens_.take();
  tokens_.expect(';', "after a list of call targets");
}

std::optional<Guard> BodyParser::guard() {
  if (!tokens_.accept('@')) return std::nullopt;
  const bool negated = tokens_.accept('!');
  const Token name = tokens_.peek();
  const Register predicate = operands_.parse_register();
  const Type type = function_.registers[predicate.index].type;
  if (type != Type::pred) {
    fail(name.line,
         fmt::format("guard {} has type .{} when it should be .pred", in_quotes(name.text), name_of(type)));
  }
  return Guard{predicate, negated};
}

void BodyParser::instruction(const Token& opcode, std::optional<Guard> guard) {
  Instruction result;
  result.guard = guard;
  result.opcode = opcode_named(opcode.text);
  if (result.opcode == Opcode::unknown) result.unknown_opcode = opcode.text;
  result.ptx_line = opcode.line;
  while (tokens_.peek().kind == TokenKind::dot_word) result.modifiers.emplace_back(tokens_.take().text);
  result.operands = operands_.parse(result.opcode, function_.code.size());
  tokens_.expect(';', "after an instruction");
  source_map_.add_instruction();
  function_.code.push_back(std::move(result));
}

}  // namespace vgpu::ptx
