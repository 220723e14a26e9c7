// The module level of PTX (PTX ISA, chapters 5, 7 and 11): version and target, variables, function headers.
// Bodies, declarations and operands have parsers of their own.

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "vgpu/ptx/body.hpp"
#include "vgpu/ptx/declaration.hpp"
#include "vgpu/ptx/function_names.hpp"
#include "vgpu/ptx/lexer.hpp"
#include "vgpu/ptx/source_map.hpp"

namespace vgpu::ptx {
namespace {

constexpr std::uint64_t kMaxThreads = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kLinkage[] = {"visible", "extern", "weak", "common"};

// Directives between a function's parameters and its body. Each takes numbers; only those of the first three
// are used.
constexpr std::string_view kPerformance[] = {"maxntid",           "reqntid",        "reqnctapercluster",
                                             "minnctapersm",      "maxnctapersm",   "maxnreg",
                                             "noreturn",          "maxclusterrank", "explicitcluster",
                                             "blocksareclusters", "abi_preserve",   "abi_preserve_control"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : tokens_(text), declarations_(tokens_) {}

  Module parse();

 private:
  void header();
  void directive();
  void target();
  void variables(Space space, bool is_extern);
  void add_variable(Declaration declaration);
  void function(bool is_entry);
  std::vector<Variable> parameters(FunctionNames& names);
  void performance_directives(Function& function);
  void add_function(Function function, const Token& name);
  void check_names() const;

  TokenStream tokens_;
  DeclarationParser declarations_;
  Module module_;
  SourceMap source_map_;
  ModuleNames names_;
  std::vector<LaterName> undeclared_;  ///< names that the module must still declare
};

Module ModuleParser::parse() {
  module_.files.resize(1);
  header();
  while (tokens_.peek().kind != TokenKind::end) directive();
  check_names();
  source_map_.find_sources(module_);
  return std::move(module_);
}

void ModuleParser::header() {
  if (!tokens_.accept_dot_word("version")) tokens_.fail_expected(".version, with which PTX text begins");
  module_.version = tokens_.expect(TokenKind::floating, "a version such as 7.5").text;
  if (!tokens_.accept_dot_word("target")) tokens_.fail_expected(".target after .version");
  target();
}

void ModuleParser::target() {
  module_.target = tokens_.expect(TokenKind::identifier, "a target such as sm_80").text;
  while (tokens_.accept(',')) tokens_.expect(TokenKind::identifier, "a target option such as debug");
}

void ModuleParser::directive() {
  if (accept_file_or_section(tokens_, module_.files) || accept_pragma(tokens_)) return;
  if (tokens_.accept(';')) return;
  Token word = tokens_.expect(TokenKind::dot_word, "a directive such as .visible or .entry");
  bool is_extern = false;
  while (is_one_of(word.text, kLinkage)) {
    is_extern = is_extern || word.text == "extern";
    word = tokens_.expect(TokenKind::dot_word, "a directive such as .func or .global");
  }
  if (word.text == "entry" || word.text == "func") return function(word.text == "entry");
  if (word.text == "global") return variables(Space::global, is_extern);
  if (word.text == "const") return variables(Space::constant, is_extern);
  if (word.text == "shared") return variables(Space::shared, is_extern);
  if (word.text != "address_size") {
    fail(word.line, fmt::format("directive {} is not supported outside a function", shown(word)));
  }
  const std::uint64_t bits = tokens_.expect_count("the address size", UINT32_MAX);
  if (bits != 64) fail(word.line, fmt::format("the address size is {} bits when it should be 64", bits));
}

void ModuleParser::variables(Space space, bool is_extern) {
  for (Declaration& declaration : declarations_.variables(space, is_extern))
    add_variable(std::move(declaration));
}

// `.extern` declarations can precede the definition; one entry remains.
void ModuleParser::add_variable(Declaration declaration) {
  const Token name = declaration.name;
  const auto [place, is_new] = names_.variables.try_emplace(name.text, module_.variables.size());
  if (names_.functions.contains(name.text)) {
    fail(name.line, fmt::format("{} is already the name of a function", in_quotes(name.text)));
  }
  if (is_new) return module_.variables.push_back(std::move(declaration.variable));
  Variable& known = module_.variables[place->second];
  if (declaration.variable.is_extern) return;
  if (!known.is_extern) fail(name.line, fmt::format("variable {} is defined twice", in_quotes(name.text)));
  known = std::move(declaration.variable);
}

void ModuleParser::function(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  FunctionNames names(function, names_);
  names.open_scope(tokens_.peek().line);
  declarations_.skip_attributes();
  if (!is_entry && tokens_.is('(')) function.returns = parameters(names);
  const Token name = tokens_.expect(TokenKind::identifier, "the name of a function");
  function.name = name.text;
  if (tokens_.is('(')) function.parameters = parameters(names);
  performance_directives(function);
  function.is_extern = tokens_.accept(';');
  if (!function.is_extern)
    BodyParser(tokens_, declarations_, names, function, module_.files, source_map_).parse();
  names.close_scope();
  undeclared_.insert(undeclared_.end(), names.undeclared().begin(), names.undeclared().end());
  add_function(std::move(function), name);
}

std::vector<Variable> ModuleParser::parameters(FunctionNames& names) {
  std::vector<Variable> result;
  tokens_.expect('(', "before parameters");
  while (!tokens_.accept(')')) {
    if (!result.empty()) tokens_.expect(',', "or ')' after a parameter");
    if (!tokens_.accept_dot_word("param")) tokens_.fail_expected(".param (others are not supported)");
    Declaration parameter = declarations_.parameter();
    // In prototypes, `_` replaces the name of a parameter (PTX ISA, ".callprototype").
    if (parameter.name.text != "_") parameter.variable.name = names.declare_variable(parameter.name);
    result.push_back(std::move(parameter.variable));
  }
  return result;
}

void ModuleParser::performance_directives(Function& function) {
  while (tokens_.peek().kind == TokenKind::dot_word) {
    if (accept_file_or_section(tokens_, module_.files) || accept_pragma(tokens_)) continue;
    const Token word = tokens_.take();
    if (!is_one_of(word.text, kPerformance)) {
      fail(word.line,
           fmt::format("directive {} is not supported before the body of a function", shown(word)));
    }
    // Directives such as .maxntid give the extents of a block: their product is the number of threads.
    std::uint64_t product = 1;
    while (tokens_.peek().kind == TokenKind::integer) {
      product *= tokens_.expect_count("the value of a directive", kMaxThreads);
      if (product > kMaxThreads)
        fail(word.line, fmt::format("{} gives more than {} threads", shown(word), kMaxThreads));
      tokens_.accept(',');
    }
    if (word.text == "maxntid" || word.text == "reqntid")
      function.max_threads = static_cast<std::uint32_t>(product);
    if (word.text == "reqnctapercluster") function.cluster_blocks = static_cast<std::uint32_t>(product);
  }
}

// A prototype can precede the body; one entry remains.
void ModuleParser::add_function(Function function, const Token& name) {
  const auto [place, is_new] = names_.functions.try_emplace(name.text, module_.functions.size());
  if (names_.variables.contains(name.text)) {
    fail(name.line, fmt::format("{} is already the name of a variable", in_quotes(name.text)));
  }
  if (is_new) return module_.functions.push_back(std::move(function));
  Function& known = module_.functions[place->second];
  if (function.is_extern) return;
  if (!known.is_extern) fail(name.line, fmt::format("function {} is defined twice", in_quotes(name.text)));
  known = std::move(function);
}

void ModuleParser::check_names() const {
  const auto check = [&](const std::vector<LaterName>& uses) {
    for (const LaterName& use : uses) {
      if (names_.contains(use.name)) continue;
      fail(use.ptx_line, fmt::format("{} is not declared", in_quotes(use.name)));
    }
  };
  check(undeclared_);
  check(declarations_.addresses());
}

}  // namespace

grader::Expected<Module, ParseError> parse(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return grader::Unexpected{ParseError{
        1, fmt::format("the PTX text has {} bytes; at most {} are read", text.size(), kMaxTextBytes)}};
  }
  try {
    return ModuleParser(text).parse();
  } catch (const Failure& failure) {
    return grader::Unexpected{failure.error};
  }
}

}  // namespace vgpu::ptx
