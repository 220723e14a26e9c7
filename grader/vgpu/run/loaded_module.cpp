#include "vgpu/run/loaded_module.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "vgpu/analysis/approximations.hpp"
#include "vgpu/analysis/inline_calls.hpp"
#include "vgpu/analysis/parameter_use.hpp"
#include "vgpu/flow/calls.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kMaxTargetLength = 8;  // the longest is like "sm_120a"; no architecture has more digits

bool lives_in_device_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

/// 90 of "sm_90a".
std::uint32_t architecture_of(std::string_view target) {
  std::uint32_t number = 0;
  for (const char c : target.substr(0, kMaxTargetLength)) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return number;
}

KernelInfo info_of(const ptx::Function& function, const Program& program, const Profile& profile) {
  KernelInfo info;
  info.name = function.name;
  const Layout parameters = lay_out(function.parameters);
  for (const ptx::Variable& parameter : function.parameters)
    info.parameter_sizes.push_back(parameter.size_bytes);
  info.parameter_offsets.assign(parameters.starts.begin(), parameters.starts.end());
  info.parameter_bytes = parameters.bytes;
  info.read_parameter_bytes = read_parameter_bytes(function);
  info.static_shared_bytes = program.static_shared_bytes;
  info.local_bytes_per_thread = program.local_bytes;
  info.max_threads_per_block = profile.max_threads_per_block;
  if (function.max_threads != 0)
    info.max_threads_per_block = std::min(info.max_threads_per_block, function.max_threads);
  info.cluster_blocks = function.cluster_blocks;
  info.registers_per_thread = program.registers;
  info.least_registers_per_thread = program.least_registers;
  info.has_launch_bounds = function.max_threads != 0;
  return info;
}

}  // namespace

grader::Expected<std::unique_ptr<LoadedModule>, std::string> LoadedModule::load(
    ptx::Module module, GlobalMemory& memory, const Profile& profile, std::uint32_t id, Watching watching) {
  std::unique_ptr<LoadedModule> loaded(new LoadedModule(std::move(module), memory, profile, id, watching));
  const std::string error = loaded->place_variables();
  if (!error.empty()) return grader::Unexpected<std::string>{error};
  return loaded;
}

LoadedModule::LoadedModule(ptx::Module module, GlobalMemory& memory, const Profile& profile, std::uint32_t id,
                           Watching watching)
    : module_(std::move(module)), memory_(memory), profile_(profile), watching_(watching) {
  constexpr unsigned kModuleShift = 28;  // 16 bytes per function need less, even for the longest text
  addresses_.callables_start = kFunctionWindow + (std::uint64_t{id} << kModuleShift);
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    if (module_.functions[i].is_entry) continue;
    addresses_.functions[module_.functions[i].name] = callable_address(addresses_.callables_start, i);
  }
}

LoadedModule::~LoadedModule() {
  for (const auto& [name, address] : addresses_.variables) memory_.free(address);
}

const Kernel* LoadedModule::kernel(std::string_view name) {
  const std::string key(name);
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second.get();
  const ptx::Function* function = find(name);
  if (function == nullptr) return nullptr;
  auto kernel = std::make_unique<Kernel>();
  kernel->program =
      decode(module_, *function, addresses_, has_caches(profile_) ? Tracing::on : Tracing::off, watching_);
  kernel->info = info_of(*function, kernel->program, profile_);
  kernel->info.architecture = architecture_of(module_.target);
  if (const auto known = registers_.find(key); known != registers_.end()) {
    kernel->info.registers_per_thread = known->second;
    kernel->info.registers_are_estimated = false;
  }
  if (!text_.empty()) kernel->ptx = ptx_of(*function);
  return kernels_.emplace(key, std::move(kernel)).first->second.get();
}

const ptx::Function* LoadedModule::find(std::string_view kernel) const {
  const auto function = std::find_if(module_.functions.begin(), module_.functions.end(),
                                     [&](const ptx::Function& f) { return f.is_entry && f.name == kernel; });
  return function == module_.functions.end() ? nullptr : &*function;
}

std::shared_ptr<const Approximations> LoadedModule::approximations(std::string_view kernel) {
  auto& known = approximations_[std::string(kernel)];
  if (known) return known;
  std::vector<ptx::Function> functions;
  const auto add = [&](const ptx::Function& function) {
    if (auto flat = inline_calls(module_, function)) functions.push_back(*std::move(flat));
  };
  add(*find(kernel));
  const auto calls = [](const ptx::Instruction& one) { return one.opcode == ptx::Opcode::call; };
  // Which functions the remaining calls reach is not searched for: all of them count.
  if (!functions.empty() &&
      std::any_of(functions.front().code.begin(), functions.front().code.end(), calls)) {
    for (const ptx::Function& function : module_.functions)
      if (!function.is_entry && !function.is_extern) add(function);
  }
  return known = std::make_shared<const Approximations>(find_approximations(functions, module_.files));
}

std::vector<PtxLine> LoadedModule::ptx_of(const ptx::Function& kernel) const {
  const auto flat = inline_calls(module_, kernel);
  if (!flat) return {};
  std::vector<std::string_view> lines;
  for (std::size_t start = 0; start < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', start), text_.size());
    lines.push_back(std::string_view(text_).substr(start, end - start));
    start = end + 1;
  }
  std::vector<PtxLine> listing;
  for (const ptx::Instruction& instruction : flat->code) {
    if (instruction.ptx_line == 0 || instruction.ptx_line > lines.size()) continue;
    std::string_view text = lines[instruction.ptx_line - 1];
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    const auto& [file, column, line] = instruction.source;
    listing.push_back({file < module_.files.size() ? module_.files[file] : "", line, instruction.ptx_line,
                       std::string(text)});
  }
  return listing;
}

std::uint64_t LoadedModule::symbol(std::string_view name) const {
  const auto found = addresses_.variables.find(std::string(name));
  return found == addresses_.variables.end() ? 0 : found->second;
}

std::string LoadedModule::variable_at(std::uint64_t address) const {
  for (const auto& [name, start] : addresses_.variables)
    if (start == address) return name;
  return "";
}

std::string LoadedModule::place_variables() {
  std::size_t constant_bytes = 0;
  for (const ptx::Variable& variable : module_.variables) {
    if (!lives_in_device_memory(variable) || variable.size_bytes == 0 ||
        addresses_.variables.contains(variable.name))
      continue;
    const bool is_constant = variable.space == ptx::Space::constant;
    if (is_constant) constant_bytes += variable.size_bytes;
    if (constant_bytes > profile_.constant_bytes) {
      return fmt::format(
          "constant variables need more than the {} bytes of constant memory that this device has",
          profile_.constant_bytes);
    }
    const std::uint64_t address =
        memory_.allocate(variable.size_bytes, is_constant ? Purpose::constant : Purpose::variable);
    if (address == 0) {
      return fmt::format("variable {} of {} bytes does not fit in device memory", variable.name,
                         variable.size_bytes);
    }
    addresses_.variables[variable.name] = address;
  }
  // Only now do all variables have addresses: an initialiser can contain the address of a later variable.
  for (const ptx::Variable& variable : module_.variables) {
    if (!addresses_.variables.contains(variable.name)) continue;
    if (std::string error = initialise(variable); !error.empty()) return error;
  }
  return {};
}

std::optional<std::uint64_t> LoadedModule::address_of(const std::string& symbol) const {
  for (const auto* known : {&addresses_.variables, &addresses_.functions}) {
    if (const auto found = known->find(symbol); found != known->end()) return found->second;
  }
  return std::nullopt;
}

std::string LoadedModule::initialise(const ptx::Variable& variable) {
  std::byte* host = memory_.host(addresses_.variables.at(variable.name), variable.size_bytes);
  if (host == nullptr)
    return fmt::format("variable {} is declared twice with different sizes", variable.name);
  // Variables without an initialiser, and the rest of a partly initialised one, are zero.
  std::memset(host, 0, variable.size_bytes);
  std::copy_n(variable.initial.begin(), std::min(variable.initial.size(), variable.size_bytes), host);
  for (const auto& relocation : variable.relocations) {
    const auto target = address_of(relocation.symbol);
    if (!target) {
      return fmt::format("variable {} holds the address of {}, which is not a variable in device memory",
                         variable.name, relocation.symbol);
    }
    const std::uint64_t address = *target + static_cast<std::uint64_t>(relocation.addend);
    if (variable.size_bytes < sizeof address || relocation.offset > variable.size_bytes - sizeof address) {
      return fmt::format("the initialiser of variable {} is longer than the variable", variable.name);
    }
    std::memcpy(host + relocation.offset, &address, sizeof address);
  }
  return {};
}

}  // namespace vgpu::exec
