#include "load_image.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "vgpu/ptx/fat_binary.hpp"
#include "vgpu/ptx/module.hpp"
#include "vgpu/run/device.hpp"

namespace fuzz {
namespace {

/// The number of kernels run per module; more would add little coverage.
constexpr std::size_t kMostKernels = 4;

vgpu::Profile small_profile() {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.global_bytes = std::size_t{1} << 24U;
  return profile;
}

/// Each kernel runs on a device of its own, because a device runs no more kernels after a fault.
void run_kernel(std::span<const std::byte> image, const std::string& name, vgpu::Checks checks) {
  vgpu::DeviceOptions options;
  options.step_limit = 500;
  options.checks = checks;
  vgpu::Device device(small_profile(), options);
  const auto module = device.load_module(image);
  if (!module) return;
  const auto info = device.kernel_info(*module, name);
  const auto buffer = device.allocate(4096);
  if (!info || !buffer) return;
  // Pass pointers for parameters that can hold one.
  std::vector<std::byte> parameters(info->parameter_bytes);
  for (std::size_t i = 0; i + sizeof *buffer <= parameters.size(); i += sizeof *buffer) {
    std::copy_n(reinterpret_cast<const std::byte*>(&*buffer), sizeof *buffer,
                parameters.begin() + static_cast<std::ptrdiff_t>(i));
  }
  vgpu::Launch launch;
  launch.module = *module;
  launch.kernel = name;
  launch.grid = {2, 1, 1};
  launch.block = {40, 1, 1};
  launch.parameters = parameters;
  device.launch(launch);
}

}  // namespace

void load_image(std::span<const std::byte> image) {
  vgpu::ptx::image_size(image.data(), image.size());
  std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  const auto extracted = vgpu::ptx::extract_ptx(image);
  if (extracted) text = *extracted;
  const auto module = vgpu::ptx::parse(text);
  if (!module) return;
  std::size_t run = 0;
  for (const auto& function : module->functions) {
    if (!function.is_entry || run++ >= kMostKernels) continue;
    // Monitored programs have handlers of their own.
    for (const vgpu::Checks checks : {vgpu::Checks{}, vgpu::Checks::all()})
      run_kernel(std::as_bytes(std::span(text)), function.name, checks);
  }
}

}  // namespace fuzz
