#include "vgpu/ptx/function_names.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace vgpu::ptx {
namespace {

// Compilers nest two deep. A look-up can visit all scopes, so the bound keeps parsing linear.
constexpr std::size_t kMaxScopes = 64;

[[noreturn]] void fail_twice(const Token& name) {
  fail(name.line, fmt::format("{} is declared twice in the same scope", in_quotes(name.text)));
}

struct NumberedName {
  std::string_view prefix;
  std::uint64_t number = 0;
};

/// "%r12" as prefix and number; nullopt where no range can declare the name ("%r", "%r012").
std::optional<NumberedName> numbered(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::string_view text = name.substr(digits);
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  NumberedName result{name.substr(0, digits), 0};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), result.number);
  if (error != std::errc{}) return std::nullopt;
  return result;
}

}  // namespace

FunctionNames::FunctionNames(Function& function, const ModuleNames& module_names)
    : function_(function), module_names_(module_names) {}

void FunctionNames::open_scope(std::uint32_t ptx_line) {
  if (scopes_.size() == kMaxScopes) fail(ptx_line, fmt::format("more than {} nested scopes", kMaxScopes));
  scopes_.emplace_back();
}

void FunctionNames::close_scope() {
  const Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  std::vector<LaterName>& outer = scopes_.empty() ? undeclared_ : scopes_.back().later;
  // Labels can be declared after their use; names that this scope does not declare can belong to an outer
  // one.
  for (const LaterName& use : closed.later) {
    const auto label = closed.labels.find(use.name);
    if (label == closed.labels.end()) {
      outer.push_back(use);
    } else if (label->second != use.name) {
      rename(use, label->second);
    }
  }
}

void FunctionNames::declare_register(const Token& name, Type type) {
  if (scopes_.back().registers.contains(name.text)) fail_twice(name);
  add_register(scopes_.back(), name.text, type);
}

void FunctionNames::declare_range(const Token& prefix, std::uint64_t count, Type type) {
  if (!scopes_.back().ranges.try_emplace(prefix.text, Range{count, type}).second) fail_twice(prefix);
}

std::string FunctionNames::declare_variable(const Token& name) {
  const auto [place, is_new] = scopes_.back().variables.try_emplace(name.text);
  if (!is_new) fail_twice(name);
  return place->second = unique(name.text);
}

std::string FunctionNames::declare_label(const Token& name) {
  const auto [place, is_new] = scopes_.back().labels.try_emplace(name.text);
  if (!is_new) fail_twice(name);
  return place->second = unique(name.text);
}

FunctionNames::Meaning FunctionNames::find(std::string_view name) {
  const auto in_range = numbered(name);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->registers.find(name);
    if (known != scope->registers.end()) return known->second;
    const auto variable = scope->variables.find(name);
    if (variable != scope->variables.end()) return variable->second;
    if (!in_range) continue;
    const auto range = scope->ranges.find(in_range->prefix);
    if (range == scope->ranges.end() || in_range->number >= range->second.count) continue;
    // A register of a range gets an index at its first use: ranges can be much larger than the code.
    return add_register(*scope, name, range->second.type);
  }
  if (module_names_.contains(name)) return std::string(name);
  return {};
}

void FunctionNames::use_later(const LaterName& use) { scopes_.back().later.push_back(use); }

Register FunctionNames::add_register(Scope& scope, std::string_view name, Type type) {
  const Register added{static_cast<std::uint32_t>(function_.registers.size())};
  function_.registers.push_back({std::string(name), type});
  return scope.registers[name] = added;
}

// A PTX name cannot contain '#', so the result differs from every name in the text.
std::string FunctionNames::unique(std::string_view name) {
  const std::size_t nth = ++uses_of_name_[name];
  const bool taken = nth > 1 || module_names_.contains(name);
  return taken ? fmt::format("{}#{}", name, nth) : std::string(name);
}

void FunctionNames::rename(const LaterName& use, const std::string& label) {
  if (use.in_branch_targets) {
    function_.branch_targets[use.index].labels[use.item] = label;
    return;
  }
  // Vectors and addresses contain no labels, and the name of a call's prototype is not used.
  Operand& operand = function_.code[use.index].operands[use.item];
  auto* const symbol = std::get_if<Symbol>(&operand.value);
  if (symbol != nullptr && symbol->name == use.name) symbol->name = label;
}

}  // namespace vgpu::ptx
