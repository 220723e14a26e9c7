#include "vgpu/run/launch_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "vgpu/model/occupancy.hpp"

namespace vgpu::exec {
namespace {

// Limits of all devices since compute capability 3.0 (CUDA C++ Programming Guide, "Technical Specifications
// per Compute Capability").
constexpr std::uint32_t kMaxGridX = 0x7FFFFFFF;
constexpr std::uint32_t kMaxGridYZ = 65535;
constexpr std::uint32_t kMaxBlockZ = 64;

std::string shown(const Dim3& extent) { return fmt::format("{} × {} × {}", extent.x, extent.y, extent.z); }

std::string check_grid(const Dim3& grid) {
  if (grid.count() == 0)
    return fmt::format("the grid is {} blocks; every extent must be at least 1", shown(grid));
  if (grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) {
    return fmt::format("the grid is {} blocks; this device allows {} × {} × {}", shown(grid), kMaxGridX,
                       kMaxGridYZ, kMaxGridYZ);
  }
  return {};
}

std::string check_block(const Dim3& block, std::uint32_t device_limit) {
  if (block.x == 0 || block.y == 0 || block.z == 0) {
    return fmt::format("the block is {} threads; every extent must be at least 1", shown(block));
  }
  if (block.x > device_limit || block.y > device_limit || block.z > kMaxBlockZ) {
    return fmt::format("the block is {} threads; this device allows {} × {} × {}", shown(block), device_limit,
                       device_limit, kMaxBlockZ);
  }
  if (block.count() > device_limit) {
    return fmt::format("{} threads per block; this device allows {}", block.count(), device_limit);
  }
  return {};
}

/// Whether not even one block fits, by registers. Only machine code shows their number: the estimate from PTX
/// can be too high. And only machine code for devices like this one: where a thread has fewer registers than
/// the code uses, the compiler would have used fewer.
bool lacks_registers(const Launch& launch, const KernelInfo& kernel, const Profile& profile) {
  constexpr std::uint32_t kPresentMaximum = 255;  // since compute capability 3.5
  if (kernel.registers_are_estimated || profile.max_registers_per_thread < kPresentMaximum) return false;
  return occupancy(profile, {launch.block.count(), 0, kernel.registers_per_thread, false}).blocks_per_sm == 0;
}

/// Of all devices since compute capability 3.0 (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability"). The profile of the lecture's device has fewer: for it, the compiler would spill.
constexpr std::uint64_t kRegistersOfBlock = 65536;

/// Whether no GPU can launch the block, whatever machine code the compiler makes of the kernel.
bool needs_more_registers_than_exist(const Launch& launch, const KernelInfo& kernel) {
  return kernel.registers_are_estimated && !kernel.has_launch_bounds &&
         launch.block.count() * kernel.least_registers_per_thread > kRegistersOfBlock;
}

}  // namespace

LaunchProblem check_launch(const Launch& launch, const KernelInfo& kernel, const Profile& profile) {
  const int capability = 10 * profile.compute_major + profile.compute_minor;
  if (!profile.runs_later_code && static_cast<int>(kernel.architecture) > capability) {
    return {LaunchError::no_code_for_device,
            fmt::format("the program has code for compute capability {}.{}; this device has {}.{}",
                        kernel.architecture / 10, kernel.architecture % 10, profile.compute_major,
                        profile.compute_minor)};
  }
  if (std::string problem = check_grid(launch.grid); !problem.empty()) {
    return {LaunchError::invalid_configuration, std::move(problem)};
  }
  std::string problem = check_block(launch.block, profile.max_threads_per_block);
  if (!problem.empty()) return {LaunchError::invalid_configuration, std::move(problem)};
  if (launch.block.count() > kernel.max_threads_per_block) {
    return {LaunchError::above_launch_bounds,
            fmt::format("{} threads per block; the kernel's __launch_bounds__ allow {}", launch.block.count(),
                        kernel.max_threads_per_block)};
  }
  const std::size_t most = largest_shared_bytes(profile);
  const std::size_t static_bytes = std::min(kernel.static_shared_bytes, most);
  // Compared one by one: the sum of two hostile sizes can overflow.
  const std::size_t limit =
      std::max(profile.shared_bytes_per_block,
               static_bytes + std::min(launch.allowed_dynamic_shared_bytes, most - static_bytes));
  if (kernel.static_shared_bytes > limit ||
      launch.dynamic_shared_bytes > limit - kernel.static_shared_bytes) {
    return {LaunchError::invalid_value,
            fmt::format("{} bytes of static and {} of dynamic shared memory per block; this device allows {}",
                        kernel.static_shared_bytes, launch.dynamic_shared_bytes, limit)};
  }
  if (lacks_registers(launch, kernel, profile)) {
    return {LaunchError::out_of_resources,
            fmt::format("{} threads per block with {} registers each; a block has at most {} registers",
                        launch.block.count(), kernel.registers_per_thread, profile.registers_per_sm)};
  }
  if (needs_more_registers_than_exist(launch, kernel)) {
    return {LaunchError::out_of_resources,
            fmt::format("{} threads per block with at least {} registers each; GPUs have {} for a block",
                        launch.block.count(), kernel.least_registers_per_thread, kRegistersOfBlock)};
  }
  if (launch.parameters.size() != kernel.parameter_bytes) {
    return {LaunchError::invalid_value, fmt::format("{} bytes of parameters; the kernel takes {}",
                                                    launch.parameters.size(), kernel.parameter_bytes)};
  }
  if (!launch.cooperative) return {};
  const std::uint64_t resident = resident_blocks(launch, kernel, profile);
  if (launch.grid.count() > resident) {
    return {LaunchError::cooperative_too_large,
            fmt::format("{} blocks in a cooperative launch; this device holds at most {} at the same time",
                        launch.grid.count(), resident)};
  }
  return {};
}

std::uint64_t resident_blocks(const Launch& launch, const KernelInfo& kernel, const Profile& profile) {
  const BlockNeeds needs{launch.block.count(), kernel.static_shared_bytes + launch.dynamic_shared_bytes,
                         kernel.registers_per_thread, kernel.registers_are_estimated};
  return std::uint64_t{occupancy(profile, needs).blocks_per_sm} * profile.sm_count;
}

}  // namespace vgpu::exec
