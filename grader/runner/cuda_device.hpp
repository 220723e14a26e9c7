// What programs need in a box to reach a real GPU, and which GPU there is.
// Sources: libnvidia-container (src/nvc_mount.c, src/nvc_info.c); gVisor, g3doc/user_guide/gpu.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "runner/kit_paths.hpp"
#include "sandbox/box.hpp"
#include "toolchain/front_end.hpp"

namespace grader {

/// The driver maps its libraries and keeps buffers in host memory; below this CUDA programs fail at the
/// start.
inline constexpr std::uint64_t kCudaHostMemory = std::uint64_t{8} << 30U;

/// What no program can exceed; 0 = unknown.
struct PeakRates {
  double bytes_per_s = 0;       ///< of its memory
  double operations_per_s = 0;  ///< single precision, a fused multiply-add being two
};

struct CudaDevice {
  std::string name;            ///< "NVIDIA H200"
  int compute_capability = 0;  ///< 90
  std::uint64_t global_bytes = 0;
  PeakRates peak;
};

/// libcudart of the toolkit, to link and run with; empty if there is none.
std::filesystem::path toolkit_runtime(const FrontEnd& front_end);

/// Adds device nodes, libraries and variables to a job that runs a CUDA program.
void grant_gpu(BoxJob& job, const FrontEnd& front_end);

/// Asks harness-cuda, in a box, for the first GPU. The diagnostic is WG-G24, or the sandbox's.
Expected<CudaDevice, Diagnostic> find_cuda_device(const KitPaths& paths, const FrontEnd& front_end,
                                                  const Sandbox& sandbox);

}  // namespace grader
