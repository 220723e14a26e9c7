// The device code that a program's static constructors registered: fat binaries, kernels by the address of
// their host stub, variables by the address of their host shadow. Nothing is sent to the device before its
// first use, so registering costs nothing and errors show up in calls that can return them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "vgpu/cudart/protocol/commands.hpp"

namespace vgpu::cudart::client {

struct FatBinary {
  const std::byte* image = nullptr;     ///< nullptr: the wrapper was of an unknown kind
  std::size_t size_bytes = 0;           ///< 0: neither a fat binary nor PTX text
  std::optional<std::uint32_t> module;  ///< set once the device holds it
};

struct Kernel {
  FatBinary* binary = nullptr;
  std::string name;                  ///< mangled
  std::optional<KernelFacts> facts;  ///< set once asked for
  std::uint64_t allowed_dynamic_shared_bytes =
      0;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;
  std::optional<MemoryRange> range;  ///< set once asked for
};

class Registry {
 public:
  /// `wrapper` is what __cudaRegisterFatBinary gets. Pointers stay valid until removal.
  FatBinary* add_binary(const void* wrapper);
  /// With its kernels and variables.
  void remove_binary(const FatBinary* binary);
  void add_kernel(FatBinary* binary, const void* host_function, std::string name);
  void add_variable(FatBinary* binary, const void* host_variable, std::string name);

  /// nullptr: nothing was registered under this address.
  Kernel* find_kernel(const void* host_function);
  Variable* find_variable(const void* host_variable);

  /// The device is another one: all code has to be sent again.
  void forget_device();

 private:
  std::map<const FatBinary*, std::unique_ptr<FatBinary>> binaries_;
  std::map<const void*, Kernel> kernels_;
  std::map<const void*, Variable> variables_;
};

}  // namespace vgpu::cudart::client
