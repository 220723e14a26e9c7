// A module on the device: its variables in device memory and its kernels, each decoded on first use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/expected.hpp"
#include "vgpu/analysis/layout.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/ptx/module.hpp"
#include "vgpu/run/device.hpp"
#include "vgpu/state/global_memory.hpp"

namespace vgpu::exec {

struct Kernel {
  Program program;
  KernelInfo info;
  std::vector<PtxLine> ptx;  ///< with LoadedModule::keep_text()
};

class LoadedModule {
 public:
  /// Places and initialises the variables. `id` distinguishes the modules of a device. The error is a
  /// sentence; after an error no memory stays allocated.
  static grader::Expected<std::unique_ptr<LoadedModule>, std::string> load(
      ptx::Module module, GlobalMemory& memory, const Profile& profile, std::uint32_t id, Watching watching);
  ~LoadedModule();

  /// Sets registers per thread by kernel, instead of estimates. Must be called before kernel().
  void set_register_counts(std::map<std::string, std::uint32_t> counts) { registers_ = std::move(counts); }

  /// Keeps the module's PTX for Kernel::ptx. Must be called before kernel().
  void keep_text(std::string text) { text_ = std::move(text); }

  /// nullptr if there is no such kernel.
  const Kernel* kernel(std::string_view name);
  /// Computed on first use. Requires: the kernel exists.
  std::shared_ptr<const Approximations> approximations(std::string_view kernel);
  /// The address of a .global or .const variable, 0 if there is none.
  std::uint64_t symbol(std::string_view name) const;
  /// The name of the variable that starts at the address; empty if there is none.
  std::string variable_at(std::uint64_t address) const;

 private:
  LoadedModule(ptx::Module module, GlobalMemory& memory, const Profile& profile, std::uint32_t id,
               Watching watching);
  const ptx::Function* find(std::string_view kernel) const;
  std::vector<PtxLine> ptx_of(const ptx::Function& kernel) const;
  std::string place_variables();
  std::string initialise(const ptx::Variable& variable);
  std::optional<std::uint64_t> address_of(const std::string& symbol) const;

  ptx::Module module_;
  GlobalMemory& memory_;
  const Profile& profile_;
  Watching watching_;
  ModuleAddresses addresses_;
  std::map<std::string, std::uint32_t> registers_;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::unordered_map<std::string, std::shared_ptr<const Approximations>> approximations_;
  std::string text_;  ///< of the PTX; empty: not kept
};

}  // namespace vgpu::exec
