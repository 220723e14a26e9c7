// Runs the kernels of tests/kernels/checks with all checks on and off.
#pragma once

#include <fstream>
#include <set>

#include "vgpu/gpu.hpp"

namespace test {

inline constexpr vgpu::Checks kAllChecks = vgpu::Checks::all();
inline constexpr std::uint32_t kCheckWords = 4096;  ///< of the array in, and of the array out

struct Checked {
  vgpu::LaunchRecord record;
  std::vector<std::int32_t> out;
};

/// `file`: "shared_nvcc.ptx". Kernels take (const int* in, int* out).
inline Checked run_checked(const std::string& file, std::string_view kernel, vgpu::Dim3 grid,
                           vgpu::Dim3 block, vgpu::Checks checks, unsigned cpu_threads = 1) {
  Gpu gpu(kernel_file("../checks/" + file), {.cpu_threads = cpu_threads, .checks = checks});
  std::vector<std::int32_t> in(kCheckWords);
  for (std::uint32_t i = 0; i < kCheckWords; ++i)
    in[i] = static_cast<std::int32_t>((i * 7919U + 13U) % 1009U);
  const auto d_in = gpu.upload(in);
  const auto d_out = gpu.zeros<std::int32_t>(kCheckWords);
  Checked result{gpu.launch(kernel, grid, block, pack(d_in, d_out)), {}};
  result.out = gpu.download<std::int32_t>(d_out, kCheckWords);
  return result;
}

/// Each kind once.
inline std::set<vgpu::FaultKind> kinds_of(const std::vector<vgpu::Fault>& findings) {
  std::set<vgpu::FaultKind> kinds;
  for (const vgpu::Fault& finding : findings) kinds.insert(finding.kind);
  return kinds;
}

inline std::string described(const vgpu::Fault& finding) {
  std::string text = finding.instruction + " line " + std::to_string(finding.source.line) + " thread " +
                     std::to_string(finding.thread.x) + "," + std::to_string(finding.thread.y) + " block " +
                     std::to_string(finding.block.x) + " kind " +
                     std::to_string(static_cast<int>(finding.kind)) + " x" + std::to_string(finding.count);
  if (finding.other)
    text += " with line " + std::to_string(finding.other->source.line) + " thread " +
            std::to_string(finding.other->thread.x) + " block " + std::to_string(finding.other->block.x);
  return text;
}

}  // namespace test
