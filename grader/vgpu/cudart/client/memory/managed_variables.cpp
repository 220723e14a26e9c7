#include "vgpu/cudart/client/memory/managed_variables.hpp"

#include <algorithm>
#include <cstring>

#include "vgpu/cudart/client/memory/shared_memory.hpp"

namespace vgpu::cudart::client {
namespace {

std::vector<ManagedVariable>& all_variables() {
  static auto& variables = *new std::vector<ManagedVariable>;  // never destroyed, see Runtime::instance()
  return variables;
}

/// For copies that the program does not know about: they are not work of a stream.
constexpr Issue kInternalIssue{.continues = true};

Outcome read_device(Runtime& runtime, const ManagedVariable& variable, std::span<std::byte> bytes) {
  return outcome_of(runtime.ask(Read{kInternalIssue, {variable.device}, {bytes.size()}}, {}, bytes));
}

std::byte* host_copy(const ManagedVariable& variable) {
  return static_cast<std::byte*>(variable.host_pointer != nullptr ? *variable.host_pointer
                                                                  : variable.in_place);
}

/// Lets kernels use the host address. The program does not know about this, so it is no wait for its work.
Outcome share(Runtime& runtime, ManagedVariable& variable) {
  variable.is_shared = true;
  if (variable.host_pointer != nullptr) {
    const auto memory =
        allocate_shared(runtime, variable.size_bytes, MemoryKind::managed, cudaMemAttachGlobal, CallSite());
    if (memory) *variable.host_pointer = *memory;
    return memory ? Outcome() : memory.error();
  }
  const std::uint64_t address = address_of(variable.in_place);
  runtime.memory().add({address, variable.size_bytes, MemoryKind::managed, cudaMemAttachGlobal});
  return share_in_place(runtime, address, (variable.size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes,
                        {});
}

/// Finds the variable on the device and copies its initial value to the host.
Outcome fill(Runtime& runtime, ManagedVariable& variable) {
  const auto range = runtime.symbol(*variable.binary, variable.name);
  if (!range) return range.error();
  runtime.ask(LinkManagedVariable{*range, address_of(host_copy(variable))});
  variable.device = range->address;
  variable.device_number = runtime.device_number();
  variable.known.resize(std::min(variable.size_bytes, range->size_bytes));
  Outcome outcome = read_device(runtime, variable, variable.known);
  std::memcpy(host_copy(variable), variable.known.data(), variable.known.size());
  return outcome;
}

Outcome place(Runtime& runtime, ManagedVariable& variable) {
  Outcome outcome = share(runtime, variable);
  const bool is_filled = variable.device != 0 && variable.device_number == runtime.device_number();
  return outcome.error == cudaSuccess && !is_filled ? fill(runtime, variable) : outcome;
}

}  // namespace

void add_managed_variable(ManagedVariable variable) { all_variables().push_back(std::move(variable)); }

bool has_managed_variables_in_place(const FatBinary* binary) {
  return std::any_of(all_variables().begin(), all_variables().end(),
                     [binary](const ManagedVariable& variable) {
                       return variable.binary == binary && variable.in_place != nullptr;
                     });
}

void remove_managed_variables(const FatBinary* binary) {
  std::erase_if(all_variables(),
                [binary](const ManagedVariable& variable) { return variable.binary == binary; });
}

Outcome fill_managed_variables(Runtime& runtime, const FatBinary* binary) {
  Outcome first_problem;
  for (ManagedVariable& variable : all_variables()) {
    if (variable.binary != binary || variable.in_place == nullptr) continue;
    Outcome outcome = fill(runtime, variable);
    if (first_problem.error == cudaSuccess) first_problem = std::move(outcome);
  }
  return first_problem;
}

Outcome place_managed_variables(Runtime& runtime, const FatBinary* binary) {
  Outcome first_problem;
  for (ManagedVariable& variable : all_variables()) {
    if (variable.binary != binary || variable.is_shared) continue;
    Outcome outcome = place(runtime, variable);
    if (first_problem.error == cudaSuccess) first_problem = std::move(outcome);
  }
  return first_problem;
}

Outcome send_managed_variables(Runtime& runtime) {
  for (ManagedVariable& variable : all_variables()) {
    if (variable.device == 0) continue;
    if (variable.device_number != runtime.device_number()) {  // the device was reset
      Outcome outcome = place(runtime, variable);
      if (outcome.error != cudaSuccess) return outcome;
    }
    const std::byte* host = host_copy(variable);
    if (std::equal(variable.known.begin(), variable.known.end(), host)) continue;
    variable.known.assign(host, host + variable.known.size());
    const Copy request{kInternalIssue, {variable.device}, {address_of(host)}, {variable.known.size()}};
    Outcome outcome = outcome_of(runtime.ask(request));
    if (outcome.error != cudaSuccess) return outcome;
  }
  return {};
}

Outcome fetch_managed_variables(Runtime& runtime) {
  std::vector<std::byte> now;
  for (ManagedVariable& variable : all_variables()) {
    if (variable.device == 0) continue;
    now.resize(variable.known.size());
    Outcome outcome = read_device(runtime, variable, now);
    if (outcome.error != cudaSuccess) return outcome;
    // Copy only changed bytes, because the kernel can also have written through the host's address.
    std::byte* host = host_copy(variable);
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != variable.known[i]) host[i] = now[i];
    variable.known.swap(now);
  }
  return {};
}

}  // namespace vgpu::cudart::client
