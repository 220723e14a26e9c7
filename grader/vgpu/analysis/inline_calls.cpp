#include "vgpu/analysis/inline_calls.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "vgpu/ptx/source_map.hpp"

namespace vgpu::exec {
namespace {

// Limits of inlining, because nested calls multiply the code; beyond these limits calls remain. A kernel of
// this length fits a warp's register file. The limit for other functions is lower, because inlined code makes
// a function's frame larger, and the stack is small.
constexpr std::size_t kMaxInstructions = std::size_t{1} << 13U;
constexpr std::size_t kMaxInstructionsOfFunction = std::size_t{1} << 6U;
constexpr std::size_t kMaxRegisters = std::size_t{1} << 20U;
constexpr std::size_t kMaxVariables = std::size_t{1} << 16U;
constexpr std::size_t kMaxLocalBytes = 32 * 1024;  // half of the local memory that a thread can have
constexpr std::size_t kMaxDepth = 64;

using Names = std::unordered_map<std::string, std::string>;

class Inliner {
 public:
  Inliner(const ptx::Module& module, const ptx::Function& root)
      : libraries_(ptx::libraries_among(module.files)) {
    result_.name = root.name;
    result_.is_entry = root.is_entry;
    result_.returns = root.returns;
    result_.parameters = root.parameters;
    result_.max_threads = root.max_threads;
    result_.source = root.source;
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry && !function.code.empty()) functions_.emplace(function.name, &function);
    }
  }

  /// Appends the function's code; `names` maps its parameters to their names in the result. Library code gets
  /// the source line of the `call`.
  void append(const ptx::Function& function, Names names, const ptx::Instruction* call = nullptr) {
    const bool is_callee = call != nullptr;
    stack_.push_back(&function);
    const auto first_register = static_cast<std::uint32_t>(result_.registers.size());
    result_.registers.insert(result_.registers.end(), function.registers.begin(), function.registers.end());
    add_variables(function, names);
    // A PTX name cannot contain '#', so that every copy has names of its own.
    const std::string suffix = is_callee ? fmt::format("#{}", copies_++) : "";
    for (const ptx::Label& label : function.labels) names[label.name] = label.name + suffix;
    add_branch_targets(function, names, suffix);
    const std::string end = "return" + suffix;
    std::vector<std::uint32_t> starts;
    for (const ptx::Instruction& original : function.code) {
      starts.push_back(static_cast<std::uint32_t>(result_.code.size()));
      ptx::Instruction instruction = original;
      rename(instruction, first_register, names);
      if (is_callee && is_of_library(instruction)) instruction.source = call->source;
      add(std::move(instruction), is_callee, end);
    }
    starts.push_back(static_cast<std::uint32_t>(result_.code.size()));
    for (const ptx::Label& label : function.labels)
      result_.labels.push_back({names.at(label.name), starts.at(label.target)});
    if (is_callee) result_.labels.push_back({end, starts.back()});
    stack_.pop_back();
  }

  ptx::Function take() { return std::move(result_); }

 private:
  /// True for code without a known source line, too.
  bool is_of_library(const ptx::Instruction& instruction) const {
    const ptx::SourceLine& source = instruction.source;
    return source.line == 0 || (source.file < libraries_.size() && libraries_[source.file]);
  }

  void add_variables(const ptx::Function& function, Names& names) {
    for (ptx::Variable variable : function.variables) {
      // Shared memory belongs to the block: all copies of a function refer to the same variable.
      const bool one_for_all = variable.space == ptx::Space::shared;
      const bool is_root = stack_.size() == 1;
      const std::string name = one_for_all && !function.is_entry
                                   ? fmt::format("{}:{}", function.name, variable.name)
                               : is_root ? variable.name
                                         : fmt::format("{}#{}", variable.name, copies_);
      names[variable.name] = name;
      variable.name = name;
      if (!one_for_all) local_bytes_ += std::min(variable.size_bytes, kMaxLocalBytes);
      if (!one_for_all || shared_.insert(name).second) result_.variables.push_back(std::move(variable));
    }
  }

  void add_branch_targets(const ptx::Function& function, Names& names, const std::string& suffix) {
    for (ptx::BranchTargets list : function.branch_targets) {
      names[list.name] = list.name + suffix;
      list.name += suffix;
      for (std::string& label : list.labels) label += suffix;
      result_.branch_targets.push_back(std::move(list));
    }
  }

  void add(ptx::Instruction instruction, bool is_callee, const std::string& end) {
    // A return from inlined code continues after that code.
    if (is_callee && instruction.opcode == ptx::Opcode::ret) {
      instruction.opcode = ptx::Opcode::bra;
      instruction.operands = {{.value = ptx::Symbol{end}}};
    }
    const ptx::Function* callee = instruction.opcode == ptx::Opcode::call ? called(instruction) : nullptr;
    if (callee == nullptr || !may_inline(*callee)) {
      result_.code.push_back(std::move(instruction));
      return;
    }
    const std::string after = fmt::format("after#{}", copies_++);
    if (instruction.guard) add_skip(instruction, after);
    append(*callee, parameter_names(*callee, instruction), &instruction);
    if (instruction.guard) result_.labels.push_back({after, static_cast<std::uint32_t>(result_.code.size())});
  }

  bool may_inline(const ptx::Function& callee) const {
    const bool recurs = std::find(stack_.begin(), stack_.end(), &callee) != stack_.end();
    const std::size_t max_instructions = result_.is_entry ? kMaxInstructions : kMaxInstructionsOfFunction;
    const bool too_large = result_.code.size() + callee.code.size() > max_instructions ||
                           result_.registers.size() + callee.registers.size() > kMaxRegisters ||
                           result_.variables.size() + callee.variables.size() > kMaxVariables ||
                           local_bytes_ > kMaxLocalBytes || stack_.size() > kMaxDepth;
    return !recurs && !too_large;
  }

  /// @!%p bra: lanes whose guard fails do not call.
  void add_skip(const ptx::Instruction& call, const std::string& after) {
    ptx::Instruction skip = call;
    skip.opcode = ptx::Opcode::bra;
    skip.modifiers.clear();
    skip.guard->negated = !skip.guard->negated;
    skip.operands = {{.value = ptx::Symbol{after}}};
    result_.code.push_back(std::move(skip));
  }

  /// The function of this module that a call names; nullptr if the device provides it.
  const ptx::Function* called(const ptx::Instruction& call) const {
    const auto* name = call.operands.size() > 1 ? std::get_if<ptx::Symbol>(&call.operands[1].value) : nullptr;
    if (name == nullptr) return nullptr;
    const auto found = functions_.find(name->name);
    return found == functions_.end() ? nullptr : found->second;
  }

  static Names parameter_names(const ptx::Function& callee, const ptx::Instruction& call) {
    Names names;
    const auto bind = [&](const std::vector<ptx::Variable>& parameters, std::size_t operand) {
      const auto* passed =
          operand < call.operands.size() ? std::get_if<ptx::Vector>(&call.operands[operand].value) : nullptr;
      if ((passed == nullptr ? 0 : passed->elements.size()) != parameters.size()) {
        throw CallProblem{
            call, fmt::format("passes a number of values that differs from the number of parameters of {}",
                              callee.name)};
      }
      for (std::size_t i = 0; passed != nullptr && i < parameters.size(); ++i) {
        const auto* symbol = std::get_if<ptx::Symbol>(&passed->elements[i].value);
        if (symbol == nullptr) throw CallProblem{call, "passes a value that is not a .param variable"};
        names[parameters[i].name] = symbol->name;
      }
    };
    bind(callee.returns, 0);
    bind(callee.parameters, 2);
    return names;
  }

  static void rename(ptx::Operand& operand, std::uint32_t first_register, const Names& names) {
    const auto rename_symbol = [&](ptx::Symbol& symbol) {
      if (const auto found = names.find(symbol.name); found != names.end()) symbol.name = found->second;
    };
    if (auto* reg = std::get_if<ptx::Register>(&operand.value)) reg->index += first_register;
    if (operand.second) operand.second->index += first_register;
    if (auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) rename_symbol(*symbol);
    if (auto* address = std::get_if<ptx::Address>(&operand.value)) {
      if (auto* base = std::get_if<ptx::Register>(&address->base)) base->index += first_register;
      if (auto* base = std::get_if<ptx::Symbol>(&address->base)) rename_symbol(*base);
    }
    if (auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
      for (ptx::Operand& element : vector->elements) rename(element, first_register, names);
    }
  }

  static void rename(ptx::Instruction& instruction, std::uint32_t first_register, const Names& names) {
    if (instruction.guard) instruction.guard->predicate.index += first_register;
    for (ptx::Operand& operand : instruction.operands) rename(operand, first_register, names);
  }

  std::vector<bool> libraries_;                                      ///< by file of the module
  std::unordered_map<std::string, const ptx::Function*> functions_;  ///< by name; functions with a body
  std::unordered_set<std::string> shared_;                           ///< names of shared variables added
  ptx::Function result_;
  std::vector<const ptx::Function*> stack_;
  std::size_t copies_ = 0;
  std::size_t local_bytes_ = 0;  ///< size of the variables added
};

}  // namespace

grader::Expected<ptx::Function, CallProblem> inline_calls(const ptx::Module& module,
                                                          const ptx::Function& kernel) {
  Inliner inliner(module, kernel);
  try {
    inliner.append(kernel, {});
  } catch (CallProblem& problem) {
    return grader::Unexpected<CallProblem>{std::move(problem)};
  }
  return inliner.take();
}

}  // namespace vgpu::exec
