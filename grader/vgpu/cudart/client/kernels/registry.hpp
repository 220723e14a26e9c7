// The device code that a program's static constructors register: fat binaries, kernels (by the address of
// their host stub) and variables (by the address of their host shadow). The runtime sends device code to the
// device at its first use. So registration is cheap, and errors occur in calls that can return them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "vgpu/cudart/protocol/commands.hpp"

namespace vgpu::cudart::client {

struct FatBinary {
  const std::byte* image = nullptr;     ///< nullptr if the wrapper's kind is unknown
  std::size_t size_bytes = 0;           ///< 0 if the image is neither a fat binary nor PTX text
  std::optional<std::uint32_t> module;  ///< set after the device has loaded it
};

struct Kernel {
  FatBinary* binary = nullptr;
  std::string name;                  ///< mangled
  std::optional<KernelFacts> facts;  ///< set after the first query
  /// cudaFuncAttributeMaxDynamicSharedMemorySize; 0 if not set.
  std::uint64_t allowed_dynamic_shared_bytes = 0;
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;
  std::optional<MemoryRange> range;  ///< set after the first query
};

class Registry {
 public:
  /// Adds the argument of __cudaRegisterFatBinary. The returned pointer is valid until remove_binary().
  FatBinary* add_binary(const void* wrapper);
  /// Removes the binary with its kernels and variables.
  void remove_binary(const FatBinary* binary);
  void add_kernel(FatBinary* binary, const void* host_function, std::string name);
  void add_variable(FatBinary* binary, const void* host_variable, std::string name);

  /// These return nullptr if the program has registered nothing with this address.
  Kernel* find_kernel(const void* host_function);
  Variable* find_variable(const void* host_variable);

  /// Called for a new device, which needs all code again.
  void forget_device();

 private:
  std::map<const FatBinary*, std::unique_ptr<FatBinary>> binaries_;
  std::map<const void*, Kernel> kernels_;
  std::map<const void*, Variable> variables_;
};

}  // namespace vgpu::cudart::client
