// The meaning of names inside one function: registers, register ranges, variables and labels in nested
// scopes.
//
// Registers of a range (`.reg .b32 %r<44>`) are added when the text mentions them, so that a range of
// billions costs nothing. The maps are ordered, because hostile names could collide under a publicly known
// hash function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vgpu/ptx/lexer.hpp"

namespace vgpu::ptx {

/// Names of the module's variables (index into Module::variables) and functions (into Module::functions).
struct ModuleNames {
  std::map<std::string_view, std::size_t> variables;
  std::map<std::string_view, std::size_t> functions;

  bool contains(std::string_view name) const { return variables.contains(name) || functions.contains(name); }
};

/// A name that was used before any declaration of it.
struct LaterName {
  std::string_view name;
  std::uint32_t ptx_line = 0;
  std::size_t index = 0;  ///< index of the instruction, or of the branch-target list
  std::size_t item = 0;   ///< index of the operand in the instruction, or of the label in the list
  bool in_branch_targets = false;
};

class FunctionNames {
 public:
  /// Both arguments outlive this object, which adds registers to the function and corrects label names in it.
  FunctionNames(Function& function, const ModuleNames& module_names);

  void open_scope(std::uint32_t ptx_line);
  void close_scope();
  std::size_t depth() const { return scopes_.size(); }

  void declare_register(const Token& name, Type type);
  void declare_range(const Token& prefix, std::uint64_t count, Type type);
  // Each function returns a name that is unique in the function.
  std::string declare_variable(const Token& name);
  std::string declare_label(const Token& name);

  /// A register; the unique name of a variable, or of a variable or function of the module; or monostate.
  using Meaning = std::variant<std::monostate, Register, std::string>;
  Meaning find(std::string_view name);
  /// The name is that of a label declared later in the function, or the module must declare it before its
  /// end.
  void use_later(const LaterName& use);
  /// The names that no label declared; complete when the last scope is closed.
  const std::vector<LaterName>& undeclared() const { return undeclared_; }

 private:
  struct Range {
    std::uint64_t count = 0;
    Type type = Type::none;
  };
  struct Scope {
    std::map<std::string_view, Register> registers;
    std::map<std::string_view, Range> ranges;  ///< by prefix
    std::map<std::string_view, std::string> variables;
    std::map<std::string_view, std::string> labels;
    std::vector<LaterName> later;
  };

  Register add_register(Scope& scope, std::string_view name, Type type);
  std::string unique(std::string_view name);
  void rename(const LaterName& use, const std::string& label);

  Function& function_;
  const ModuleNames& module_names_;
  std::vector<Scope> scopes_;
  std::map<std::string_view, std::size_t> uses_of_name_;  ///< declarations so far, in any scope
  std::vector<LaterName> undeclared_;
};

}  // namespace vgpu::ptx
