// decode(): the functions in a kernel's program, the places of their registers and variables, and the values
// that they pass to each other.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "vgpu/analysis/inline_calls.hpp"
#include "vgpu/decode/checked_accesses.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/decode/registers.hpp"
#include "vgpu/flow/calls.hpp"

namespace vgpu::exec {
namespace {

constexpr std::uint64_t kMaxLocalBytes = 64 * 1024;  // per thread
constexpr std::size_t kMaxRegisters = std::size_t{1}
                                      << 20U;  // declared registers; most of them share a place
constexpr std::size_t kMaxInstructions = std::size_t{1} << 19U;  // twice the limit of inlining
constexpr std::uint32_t kMaxFileBytes = 1U << 20U;               // per warp: about 8,000 live values
constexpr std::uint32_t kFileAlignment = 64;

/// Functions whose addresses instructions take or variables contain.
std::unordered_set<std::string> functions_with_address(const ptx::Module& module) {
  std::unordered_set<std::string> names;
  for (const ptx::Function& function : module.functions) {
    for (std::string& name : used_as_values(function)) names.insert(std::move(name));
  }
  for (const ptx::Variable& variable : module.variables) {
    for (const auto& relocation : variable.relocations) names.insert(relocation.symbol);
  }
  return names;
}

bool calls_through_pointers(const ptx::Function& function) {
  return std::any_of(function.code.begin(), function.code.end(), [](const ptx::Instruction& instruction) {
    return instruction.opcode == ptx::Opcode::call && instruction.operands.size() > 1 &&
           std::holds_alternative<ptx::Register>(instruction.operands[1].value);
  });
}

class ProgramBuilder {
 public:
  ProgramBuilder(const ptx::Module& module, const ptx::Function& kernel, const ModuleAddresses& addresses,
                 Tracing tracing, Watching watching)
      : module_(module), kernel_(kernel), addresses_(addresses), tracing_(tracing), watching_(watching) {
    program_.kernel = kernel.name;
    program_.files = module.files;
    program_.callables_start = addresses.callables_start;
  }

  Program build() {
    if (collect_functions()) decode_functions();
    return std::move(program_);
  }

 private:
  /// Adds the kernel first, then the functions that it can call. False if the program is refused.
  bool collect_functions();
  bool add_function(std::uint32_t index, const ptx::Function& function);
  void add_callees(const ptx::Function& function);
  void add_callee(std::uint32_t index);
  void decode_functions();
  void decode_function(const ptx::Function& function, Callable* callable, const Layout& shared);
  void describe(Callable& callable, const ptx::Function& function) const;
  void fail(const Origin& origin, std::string detail) {
    if (!program_.unsupported) program_.unsupported = Program::Unsupported{origin, std::move(detail)};
  }
  void fail_kernel(std::string detail) { fail({kernel_.source, kernel_.name}, std::move(detail)); }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const ModuleAddresses& addresses_;
  Tracing tracing_;
  Watching watching_;
  Program program_;
  std::vector<ptx::Function> functions_;  ///< the functions of the program, with simple calls inlined
  std::vector<std::uint32_t> callable_;   ///< of functions_[1…]: index into Program::callables
  std::unordered_map<std::string, std::uint32_t> index_of_;  ///< functions with a body, by name
  std::vector<bool> is_added_;                               ///< by index into Program::callables
  std::vector<std::uint32_t> pending_;
  bool added_pointees_ = false;
};

bool ProgramBuilder::collect_functions() {
  program_.callables.resize(module_.functions.size());
  is_added_.resize(module_.functions.size());
  for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
    program_.callables[i].name = module_.functions[i].name;
    const bool is_callable = !module_.functions[i].is_entry && !module_.functions[i].is_extern;
    if (is_callable) index_of_.emplace(module_.functions[i].name, i);
  }
  if (!add_function(kNowhere, kernel_)) return false;
  while (!pending_.empty()) {
    const std::uint32_t index = pending_.back();
    pending_.pop_back();
    if (!add_function(index, module_.functions[index])) return false;
  }
  std::size_t instructions = 0, registers = 0;
  for (const ptx::Function& function : functions_) {
    instructions += function.code.size();
    registers += function.registers.size();
  }
  if (instructions > kMaxInstructions) fail_kernel("is too long with all the functions that it calls");
  if (registers > kMaxRegisters) {
    fail_kernel(fmt::format("declares {} registers; at most {} are supported", registers, kMaxRegisters));
  }
  return !program_.unsupported;
}

bool ProgramBuilder::add_function(std::uint32_t index, const ptx::Function& function) {
  auto flat = inline_calls(module_, function);
  if (!flat) {
    const CallProblem& problem = flat.error();
    fail({problem.call.source, problem.call.spelled()}, problem.detail);
    return false;
  }
  if (index != kNowhere) callable_.push_back(index);
  add_callees(*flat);
  functions_.push_back(std::move(*flat));
  return true;
}

void ProgramBuilder::add_callees(const ptx::Function& function) {
  for (const ptx::Instruction& instruction : function.code) {
    if (instruction.opcode != ptx::Opcode::call || instruction.operands.size() < 2) continue;
    const auto* symbol = std::get_if<ptx::Symbol>(&instruction.operands[1].value);
    const auto found = symbol == nullptr ? index_of_.end() : index_of_.find(symbol->name);
    if (found != index_of_.end()) add_callee(found->second);
  }
  // A pointer can hold any function whose address the module takes.
  if (added_pointees_ || !calls_through_pointers(function)) return;
  added_pointees_ = true;
  for (const std::string& name : functions_with_address(module_)) {
    if (const auto found = index_of_.find(name); found != index_of_.end()) add_callee(found->second);
  }
}

void ProgramBuilder::add_callee(std::uint32_t index) {
  if (!is_added_[index]) pending_.push_back(index);
  is_added_[index] = true;
}

void ProgramBuilder::decode_functions() {
  const Layout shared = shared_layout(module_, functions_);
  program_.static_shared_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(shared.bytes, UINT32_MAX));
  program_.shared_variables = by_start(shared);
  if (const auto reserved = shared.offsets.find(std::string(kReservedMemory));
      reserved != shared.offsets.end()) {
    program_.reserved_start = static_cast<std::uint32_t>(reserved->second);
    program_.reserved_end = static_cast<std::uint32_t>(reserved->second + kReservedBytes);
  }
  for (std::size_t i = 1; i < functions_.size(); ++i)
    describe(program_.callables[callable_[i - 1]], functions_[i]);
  for (std::size_t i = 0; i < functions_.size() && !program_.unsupported; ++i) {
    decode_function(functions_[i], i == 0 ? nullptr : &program_.callables[callable_[i - 1]], shared);
  }
  if (functions_.size() == 1) program_.callables.clear();
  if (watching_ == Watching::on) program_.store_targets = store_targets(functions_.front());
}

/// Sets the members of a callable that callers need before anything is decoded.
void ProgramBuilder::describe(Callable& callable, const ptx::Function& function) const {
  const Layout frame = frame_layout(function);
  std::size_t next = 0;
  const auto slots = [&](const std::vector<ptx::Variable>& variables) {
    std::vector<Callable::Slot> all;
    for (const ptx::Variable& variable : variables) {
      all.push_back({static_cast<std::uint32_t>(frame.starts[next++]),
                     static_cast<std::uint32_t>(variable.size_bytes)});
    }
    return all;
  };
  callable.results = slots(function.returns);
  callable.arguments = slots(function.parameters);
}

void ProgramBuilder::decode_function(const ptx::Function& function, Callable* callable,
                                     const Layout& shared) {
  const Origin origin{function.source, function.name};
  const auto flow = ptx::analyse(function);
  if (!flow) return fail(origin, flow.error().what);
  const Layout frame = frame_layout(function);
  if (frame.bytes > kMaxLocalBytes) {
    return fail(origin, fmt::format("{} bytes of local memory per thread; at most {} are supported",
                                    frame.bytes, kMaxLocalBytes));
  }
  // The registers of this function follow those of the functions before it.
  RegisterUse use = analyse_registers(function, *flow, program_.file_bytes);
  if (use.too_many_saved) return fail(origin, "keeps too many values alive across its calls");
  if (callable != nullptr) {
    callable->frame_base = use.places.bytes;
    use.places.bytes += sizeof(std::uint64_t) * kWarpLanes;
    callable->entry = static_cast<std::uint32_t>(program_.code.size());
    callable->frame_bytes = static_cast<std::uint32_t>(frame.bytes);
    use.unwritten.push_back({callable->frame_base, sizeof(std::uint64_t) * kWarpLanes});
  } else {
    program_.local_bytes = static_cast<std::uint32_t>(frame.bytes);
  }
  const Symbols symbols{&addresses_, shared, frame,
                        function.is_entry ? lay_out(function.parameters) : Layout{}, !function.is_entry};
  Operands operands(function, symbols, use.places);
  const auto first_origin = static_cast<std::uint32_t>(program_.origins.size());
  Decoder(function, *flow, operands, use, CallContext{&index_of_, callable}, tracing_, watching_, program_)
      .run();
  for (const Constant& constant : operands.take_constants()) program_.constants.push_back(constant);
  program_.file_bytes = (operands.file_bytes() + kFileAlignment - 1) / kFileAlignment * kFileAlignment;
  for (const RegisterUse::Unset& one : use.unset)
    program_.unset.push_back({one.place.offset, first_origin + one.instruction});
  program_.unwritten.insert(program_.unwritten.end(), use.unwritten.begin(), use.unwritten.end());
  program_.registers = std::max(program_.registers, use.registers_per_thread);
  program_.least_registers = std::max(program_.least_registers, use.carried_words);
  if (program_.file_bytes > kMaxFileBytes)
    fail(origin, "keeps more values alive at the same time than a thread can have");
}

}  // namespace

Program decode(const ptx::Module& module, const ptx::Function& kernel, const ModuleAddresses& addresses,
               Tracing tracing, Watching watching) {
  return ProgramBuilder(module, kernel, addresses, tracing, watching).build();
}

}  // namespace vgpu::exec
