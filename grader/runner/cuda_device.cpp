#include "runner/cuda_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "runner/places.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnswerTime{20};  // the driver takes one or two seconds to start

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Device nodes that all GPUs share. nvidia-modeset is for graphics only.
bool is_common_node(const std::string& name) {
  return name == "nvidiactl" || name == "nvidia-uvm" || name == "nvidia-uvm-tools" || name == "nvidia-caps";
}

/// nvidia0, nvidia1, …
bool is_gpu_node(const std::string& name) {
  constexpr std::string_view kGpu = "nvidia";
  return name.size() > kGpu.size() && name.starts_with(kGpu) &&
         name.find_first_not_of("0123456789", kGpu.size()) == std::string::npos;
}

/// The value after a key such as "Device Minor:" in the driver's text.
std::string value_after(const std::string& text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string::npos) return "";
  const auto first = text.find_first_not_of(" \t", at + key.size());
  return first == std::string::npos ? "" : text.substr(first, text.find_first_of(" \t\r\n", first) - first);
}

std::optional<GpuNode> read_node(const fs::path& information) {
  std::ostringstream text;
  text << std::ifstream(information).rdbuf();
  const std::string minor = value_after(text.str(), "Device Minor:");
  if (minor.empty() || minor.size() > 4 || minor.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return GpuNode{std::stoi(minor), value_after(text.str(), "GPU UUID:")};
}

void grant_device_nodes(BoxJob& job, const std::optional<GpuNode>& gpu) {
  const std::string own = gpu ? fmt::format("nvidia{}", gpu->minor) : "";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_others = gpu && is_gpu_node(name) && name != own;
    if ((is_gpu_node(name) && !is_others) || is_common_node(name))
      job.mounts.push_back({entry.path(), entry.path(), BoxMount::Access::device});
  }
}

/// Folders that can hold the toolkit's and the driver's libraries: those that this process's loader searches,
/// and those where container runtimes and WSL put the driver.
std::vector<fs::path> library_folders(const FrontEnd& front_end) {
  std::vector<fs::path> folders{toolkit_runtime(front_end).parent_path()};
  const char* inherited = std::getenv("LD_LIBRARY_PATH");
  std::istringstream list(inherited != nullptr ? inherited : "");
  for (std::string one; std::getline(list, one, ':');) folders.emplace_back(one);
  folders.insert(folders.end(), {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"});
  std::erase_if(folders, [](const fs::path& one) { return !one.is_absolute() || !is_there(one); });
  return folders;
}

std::string requested_gpu(const std::string& gpu) {
  const char* inherited = std::getenv("CUDA_VISIBLE_DEVICES");
  return !gpu.empty() ? gpu : inherited != nullptr ? inherited : "";
}

Unexpected<Diagnostic> no_gpu(const std::string& why) {
  return Unexpected{
      diagnose("WG-G24", "no usable GPU: " + why,
               "use the virtual GPU with --device virtual, or check the GPU with `nvidia-smi`")};
}

/// Computed from the highest clock rates. Memory transfers data twice per clock; an SM has at most 128 lanes
/// for single precision, and a fused multiply-add counts as two operations.
PeakRates rates_of(const nlohmann::ordered_json& device) {
  constexpr double kLanes = 128;
  const auto number = [&](const char* key) { return device.at(key).get<double>(); };
  return {2 * 1e3 * number("memory_clock_khz") * number("memory_bus_bits") / 8,
          2 * 1e3 * number("clock_khz") * number("multiprocessors") * kLanes};
}

Expected<CudaDevice, Diagnostic> read_answer(const std::string& gpu, const std::string& output) {
  const auto answer = json_from(output);
  if (!answer.is_object()) return no_gpu("harness-cuda printed: " + output);
  if (answer.contains("error")) return no_gpu(answer["error"].get<std::string>());
  if (answer["devices"].empty()) return no_gpu("the driver reports none");
  const auto& first = answer["devices"][0];
  return CudaDevice{gpu, first.at("name"), first.at("compute_capability"), first.at("global_bytes"),
                    rates_of(first)};
}

}  // namespace

std::vector<GpuNode> gpu_nodes(const fs::path& proc, const fs::path& dev) {
  std::vector<fs::path> by_bus;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(proc, ignored)) by_bus.push_back(entry.path());
  std::sort(by_bus.begin(), by_bus.end());  // names are PCI addresses
  std::vector<GpuNode> nodes;
  for (const fs::path& one : by_bus)
    if (auto node = read_node(one / "information");
        node && is_there(dev / fmt::format("nvidia{}", node->minor)))
      nodes.push_back(*std::move(node));
  return nodes;
}

std::optional<GpuNode> chosen_gpu(const std::vector<GpuNode>& nodes, const std::string& requested) {
  const std::string first = requested.substr(0, requested.find(','));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (first.empty() || first == std::to_string(i) ||
        (first.starts_with("GPU-") && nodes[i].uuid.starts_with(first)))
      return nodes[i];
  return std::nullopt;
}

bool has_driver(const fs::path& dev) {
  return is_there(dev / "nvidiactl") || is_there(dev / "dxg") || is_there(dev / "nvmap");
}

fs::path toolkit_runtime(const FrontEnd& front_end) {
  for (const char* folder : {"lib64", "lib", "lib/x86_64-linux-gnu", "targets/x86_64-linux/lib"}) {
    fs::path library = front_end.toolkit_root / folder / "libcudart.so";
    if (!front_end.toolkit_root.empty() && is_there(library)) return library;
  }
  return {};
}

std::string granted_uuid(const std::string& gpu) {
  const auto node = chosen_gpu(gpu_nodes("/proc/driver/nvidia/gpus", "/dev"), requested_gpu(gpu));
  return node ? node->uuid : "";
}

void grant_gpu(BoxJob& job, const FrontEnd& front_end, const std::string& gpu) {
  const std::string requested = requested_gpu(gpu);
  const auto node = chosen_gpu(gpu_nodes("/proc/driver/nvidia/gpus", "/dev"), requested);
  grant_device_nodes(job, node);
  job.system_calls = SystemCalls::gpu;
  job.mounts.push_back({"/sys", "/sys"});  // cuInit fails with CUDA_ERROR_OPERATING_SYSTEM without it
  const std::vector<fs::path> folders = library_folders(front_end);
  std::vector<std::string> search;
  for (const fs::path& folder : folders) {
    if (!folder.string().starts_with("/usr/")) job.mounts.push_back({folder, folder});
    search.push_back(folder.string());
  }
  job.environment.emplace_back("LD_LIBRARY_PATH", fmt::format("{}", fmt::join(search, ":")));
  job.environment.emplace_back("CUDA_CACHE_DISABLE", "1");  // programs must not share compiled code
  // An index counts only the nodes in the box; a UUID has the same meaning inside and outside.
  const std::string visible = node && !node->uuid.empty() ? node->uuid : requested;
  if (!visible.empty()) job.environment.emplace_back("CUDA_VISIBLE_DEVICES", visible);
  job.limits.address_space_counts = false;
  job.limits.memory_bytes = std::max(job.limits.memory_bytes, kCudaHostMemory);
}

Expected<CudaDevice, Diagnostic> find_cuda_device(const KitPaths& paths, const FrontEnd& front_end,
                                                  const Sandbox& sandbox, const std::string& gpu) {
  const fs::path program = paths.binaries / "bin" / "harness-cuda";
  if (!is_there(program)) return no_gpu("this kit was built without a CUDA Toolkit");
  if (!has_driver("/dev")) return no_gpu("no NVIDIA driver is loaded: /dev/nvidiactl does not exist");
  Places places(sandbox.kind().isolated);
  BoxJob job;
  job.command = {places.add(program, "/kit/harness"), "--query"};
  job.mounts = places.mounts();
  job.limits.wall = kAnswerTime;
  grant_gpu(job, front_end, gpu);
  const auto result = sandbox.run(job);
  if (!result) return Unexpected{result.error()};
  if (result->end == BoxResult::End::wall_limit)
    return no_gpu(fmt::format("the GPU did not answer within {} s", kAnswerTime.count()));
  return read_answer(gpu, result->output);
}

std::vector<std::string> gpu_names(const std::vector<GpuNode>& nodes, const std::string& requested) {
  std::vector<std::string> names;
  std::istringstream list(requested);
  for (std::string one; std::getline(list, one, ',');) {
    const auto node = chosen_gpu(nodes, one);
    names.push_back(node && !node->uuid.empty() ? node->uuid : one);
  }
  if (names.empty())
    for (const GpuNode& node : nodes) names.push_back(node.uuid);
  // The pool would count a GPU that is listed twice as two, but it has only one lock.
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once.empty() ? std::vector<std::string>{""} : once;
}

Expected<std::vector<CudaDevice>, Diagnostic> find_cuda_devices(const KitPaths& paths,
                                                                const FrontEnd& front_end,
                                                                const Sandbox& sandbox,
                                                                const std::string& requested) {
  const char* inherited = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string list = requested.empty() && inherited != nullptr ? inherited : requested;
  std::vector<CudaDevice> found;
  std::optional<Diagnostic> problem;
  for (const std::string& name : gpu_names(gpu_nodes("/proc/driver/nvidia/gpus", "/dev"), list)) {
    auto device = find_cuda_device(paths, front_end, sandbox, name);
    if (device && (found.empty() || device->name == found.front().name)) {
      found.push_back(*std::move(device));
    } else if (device && !requested.empty()) {
      return no_gpu(fmt::format("{} is of model {}, the others are of model {}: name GPUs of one model only",
                                name, device->name, found.front().name));
    } else if (!device && !problem) {
      problem = device.error();
      if (!requested.empty()) return Unexpected{*problem};
    }
  }
  if (found.empty()) return Unexpected{*problem};
  return found;
}

}  // namespace grader
