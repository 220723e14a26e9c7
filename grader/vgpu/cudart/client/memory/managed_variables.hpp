// __managed__ variables. A variable has a device address for kernels, and a host address with a copy for host
// code. Before a launch, the runtime copies the host's bytes to the device. After the launch, it copies the
// bytes that the kernel changed back to the host. Covered by tests/standalone/features_test.cpp and
// tests/cudart/programs_test.cpp.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// nvcc's host code finds the variable's host address in *host_pointer, which the runtime sets. clang's host
/// code uses a variable of its own, `in_place`; host_pointer is null then.
struct ManagedVariable {
  FatBinary* binary = nullptr;
  std::string name;
  std::uint64_t size_bytes = 0;
  void** host_pointer = nullptr;
  void* in_place = nullptr;
  bool is_shared = false;  ///< kernels can use the host address

  std::uint64_t device = 0;         ///< the device address; 0 before the first use
  std::uint64_t device_number = 0;  ///< the device of that address; see Runtime::device_number()
  std::vector<std::byte> known{};   ///< the bytes at the time of the latest copy, when both copies were equal
};

void add_managed_variable(ManagedVariable variable);
bool has_managed_variables_in_place(const FatBinary* binary);
void remove_managed_variables(const FatBinary* binary);

/// Initialises the variables that have a host address already, before host code uses them.
Outcome fill_managed_variables(Runtime& runtime, const FatBinary* binary);
/// Gives the binary's variables their addresses, before host code or a kernel of the binary uses them. After
/// an error with one variable, the other variables still get their addresses.
Outcome place_managed_variables(Runtime& runtime, const FatBinary* binary);

Outcome send_managed_variables(Runtime& runtime);
Outcome fetch_managed_variables(Runtime& runtime);

}  // namespace vgpu::cudart::client
