// What a whole program did wrong beside its kernels, told when it has ended: CUDA errors that it never looked
// at, and device memory that it did not free.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "vgpu/cudart/server.hpp"

namespace grader {

std::vector<Diagnostic> diagnose_program(const vgpu::cudart::SessionReport& program);

}  // namespace grader
