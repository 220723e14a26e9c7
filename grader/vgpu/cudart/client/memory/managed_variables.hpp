// __managed__ variables. A kernel uses a variable at its device address, the host at one of its own: before a
// launch the device's bytes are made the host's, behind it what the kernel changed is brought back. Covered
// by tests/standalone/features_test.cpp.
#pragma once

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// What __cudaRegisterManagedVar gets: the compiler's host code finds the variable through *host_pointer.
struct ManagedVariable {
  FatBinary* binary = nullptr;
  std::string name;
  std::uint64_t size_bytes = 0;
  void** host_pointer = nullptr;

  std::uint64_t device = 0;         ///< address; 0: host code has not used it yet
  std::uint64_t device_number = 0;  ///< where that is; see Runtime::device_number()
  std::vector<std::byte> known{};   ///< its bytes when host and device last agreed
};

void add_managed_variable(ManagedVariable variable);
void remove_managed_variables(const FatBinary* binary);

/// Host code is about to use the binary's variables, or a kernel of it is: gives them their place. An error
/// concerns who uses the variable; the others have theirs.
Outcome place_managed_variables(Runtime& runtime, const FatBinary* binary);

Outcome send_managed_variables(Runtime& runtime);
Outcome fetch_managed_variables(Runtime& runtime);

}  // namespace vgpu::cudart::client
