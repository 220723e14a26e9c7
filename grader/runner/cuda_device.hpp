// Finds the machine's real GPUs and gives boxed programs access to them.
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

/// Bytes of host memory for a CUDA program. The driver maps its libraries and keeps buffers there: with less,
/// CUDA programs fail at the start.
inline constexpr std::uint64_t kCudaHostMemory = std::uint64_t{8} << 30U;

/// Rates that no program can exceed; 0 = unknown.
struct PeakRates {
  double bytes_per_s = 0;       ///< of the device's memory
  double operations_per_s = 0;  ///< single precision; a fused multiply-add counts as two
};

struct CudaDevice {
  std::string gpu;             ///< the argument for grant_gpu(); empty: the only known GPU
  std::string name;            ///< "NVIDIA H200"
  int compute_capability = 0;  ///< 90
  std::uint64_t global_bytes = 0;
  PeakRates peak;
};

/// Whether device nodes of NVIDIA's driver exist, of the one for WSL or of the one for Jetson. Without one,
/// no process has to be started to ask for a GPU.
bool has_driver(const std::filesystem::path& dev);

/// The toolkit's libcudart, for linking and running; empty if there is none.
std::filesystem::path toolkit_runtime(const FrontEnd& front_end);

/// A GPU as the driver's folder /proc/driver/nvidia/gpus and its node /dev/nvidia<minor> describe it.
struct GpuNode {
  int minor = 0;
  std::string uuid;  ///< "GPU-5f3e…"
};
/// The GPUs with a node in `dev`, sorted by PCI address, which is CUDA's order.
std::vector<GpuNode> gpu_nodes(const std::filesystem::path& proc, const std::filesystem::path& dev);
/// `requested` is as in CUDA_VISIBLE_DEVICES: an index or a UUID; of a list, the first entry; empty: the
/// first GPU. nullopt: the node is unknown (the driver lists no GPUs, or a MIG device was requested).
std::optional<GpuNode> chosen_gpu(const std::vector<GpuNode>& nodes, const std::string& requested);

/// The UUID of the GPU that grant_gpu() gives access to; empty: unknown.
std::string granted_uuid(const std::string& gpu);

/// Adds the GPU's device node (all GPUs' nodes if the right one is unknown), libraries and variables to a job
/// that runs a CUDA program. `gpu`: index or UUID; empty: CUDA_VISIBLE_DEVICES, or the first GPU.
void grant_gpu(BoxJob& job, const FrontEnd& front_end, const std::string& gpu = "");

/// Probes the GPU (`gpu` as for grant_gpu()) with harness-cuda in a box: the GPU must report its name and
/// complete a small computation within 20 s. The diagnostic is WG-G24, or the sandbox's.
Expected<CudaDevice, Diagnostic> find_cuda_device(const KitPaths& paths, const FrontEnd& front_end,
                                                  const Sandbox& sandbox, const std::string& gpu = "");

/// The arguments for grant_gpu(), one per GPU of a list as in CUDA_VISIBLE_DEVICES; all GPUs if the list is
/// empty. The result has at least one name; the name is empty if the driver lists no GPU.
std::vector<std::string> gpu_names(const std::vector<GpuNode>& nodes, const std::string& requested);

/// The GPUs of `requested` (a list as in CUDA_VISIBLE_DEVICES) that are healthy and of the same model as the
/// first healthy one, so that no speed-up depends on which GPU a submission got. If `requested` is empty, the
/// list is CUDA_VISIBLE_DEVICES, or all GPUs, and unsuitable GPUs are skipped; otherwise they are an error.
Expected<std::vector<CudaDevice>, Diagnostic> find_cuda_devices(const KitPaths& paths,
                                                                const FrontEnd& front_end,
                                                                const Sandbox& sandbox,
                                                                const std::string& requested);

}  // namespace grader
