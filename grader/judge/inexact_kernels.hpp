// Which kernels of a run contain approximate functions, whose results can differ from those of a real GPU.
// Pure. Covered by judge/inexact_kernels_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

struct InexactKernel {
  std::string name;            ///< kernel_name(), which the submission chose
  vgpu::Approximations found;  ///< `functions` is not empty; files without their folders

  friend bool operator==(const InexactKernel&, const InexactKernel&) = default;
};

/// Results list no more kernels.
inline constexpr std::size_t kMaxInexactKernels = 32;

/// Whether a launch of the program was analysed.
bool is_analysed(const vgpu::cudart::SessionReport& program);

/// Adds the kernels of the program that are not in `all`, by name, in the order of their first launch.
void add_inexact_kernels(const vgpu::cudart::SessionReport& program, std::vector<InexactKernel>& all);

}  // namespace grader
