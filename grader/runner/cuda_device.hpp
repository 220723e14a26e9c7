// What programs need in a box to reach a real GPU, and which GPU there is.
// Sources: libnvidia-container (src/nvc_mount.c, src/nvc_info.c); gVisor, g3doc/user_guide/gpu.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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
  std::string gpu;             ///< as grant_gpu() takes it; empty: the only one that anybody knows of
  std::string name;            ///< "NVIDIA H200"
  int compute_capability = 0;  ///< 90
  std::uint64_t global_bytes = 0;
  PeakRates peak;
};

/// libcudart of the toolkit, to link and run with; empty if there is none.
std::filesystem::path toolkit_runtime(const FrontEnd& front_end);

/// A GPU as the driver's folder /proc/driver/nvidia/gpus and its node /dev/nvidia<minor> describe it.
struct GpuNode {
  int minor = 0;
  std::string uuid;  ///< "GPU-5f3e…"
};
/// Those with a node in `dev`, by PCI address, as CUDA counts them.
std::vector<GpuNode> gpu_nodes(const std::filesystem::path& proc, const std::filesystem::path& dev);
/// `wanted` as in CUDA_VISIBLE_DEVICES: an index or a UUID, the first of several; empty: the first GPU.
/// nullopt: nobody knows which node it is (the driver tells nothing, or it is a MIG device).
std::optional<GpuNode> chosen_gpu(const std::vector<GpuNode>& nodes, const std::string& wanted);

/// Adds the GPU's device node (all of them when nobody knows which is the one), libraries and variables to a
/// job that runs a CUDA program. `gpu`: index or UUID; empty: CUDA_VISIBLE_DEVICES, or the first.
void grant_gpu(BoxJob& job, const FrontEnd& front_end, const std::string& gpu = "");

/// Asks harness-cuda, in a box, how the GPU (as for grant_gpu()) is: it must name itself and do a little work
/// within a few seconds. The diagnostic is WG-G24, or the sandbox's.
Expected<CudaDevice, Diagnostic> find_cuda_device(const KitPaths& paths, const FrontEnd& front_end,
                                                  const Sandbox& sandbox, const std::string& gpu = "");

/// The names under which grant_gpu() takes each GPU of a list as in CUDA_VISIBLE_DEVICES; of an empty list,
/// all. At least one: where the driver tells of no GPU, an empty one.
std::vector<std::string> gpu_names(const std::vector<GpuNode>& nodes, const std::string& wanted);

/// Those of `wanted` (a list as in CUDA_VISIBLE_DEVICES) that are well and like the first such one, so that
/// nobody's speed-up depends on which GPU they got. Empty: CUDA_VISIBLE_DEVICES, or all; then those that are
/// not well are passed over, otherwise they are the diagnostic.
Expected<std::vector<CudaDevice>, Diagnostic> find_cuda_devices(const KitPaths& paths,
                                                                const FrontEnd& front_end,
                                                                const Sandbox& sandbox,
                                                                const std::string& wanted);

}  // namespace grader
