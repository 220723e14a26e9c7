#include "runner/gpu_tool.hpp"

#include <algorithm>
#include <system_error>

#include "base/files.hpp"
#include "base/programs.hpp"
#include "runner/places.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLogName = "log";
/// Nsight Compute looks for its installation here, whatever the folder of its starting script.
constexpr const char* kNsightFolder = "/opt/nvidia";
constexpr std::uint64_t kToolScratch = std::uint64_t{1} << 30U;  // temporary reports
constexpr std::uint32_t kToolProcesses = 1024;                   // threads per CPU

/// The tool's installation: the parent of its bin folder, or the folder that contains it.
fs::path installation_of(const fs::path& program) {
  const fs::path folder = program.parent_path();
  return folder.filename() == "bin" ? folder.parent_path() : folder;
}

}  // namespace

fs::path find_gpu_tool(const std::string& name, const FrontEnd& front_end) {
  fs::path found = find_program(name);
  if (found.empty() && is_program(front_end.toolkit_root / "bin" / name))
    found = front_end.toolkit_root / "bin" / name;
  std::error_code error;
  fs::path resolved = found.empty() ? fs::path{} : fs::canonical(found, error);
  return error ? fs::path{} : resolved;
}

void put_under_tool(BoxJob& job, const GpuTool& tool, const fs::path& folder, bool isolated) {
  Places places(isolated);
  places.add_as_is(installation_of(tool.program));
  std::error_code missing;
  if (fs::is_directory(kNsightFolder, missing)) places.add_as_is(kNsightFolder);
  const fs::path log = places.add(folder, "/log", BoxMount::Access::read_write) / kLogName;
  std::vector<std::string> command{tool.program.string()};
  command.insert(command.end(), tool.arguments.begin(), tool.arguments.end());
  command.insert(command.end(), {"--log-file", log.string()});
  command.insert(command.end(), job.command.begin(), job.command.end());
  job.command = std::move(command);
  job.mounts.insert(job.mounts.end(), places.mounts().begin(), places.mounts().end());
  job.limits.wall = tool.limit;
  job.limits.cpu = std::chrono::ceil<std::chrono::seconds>(tool.limit);
  job.limits.scratch_bytes = std::max(job.limits.scratch_bytes, kToolScratch);
  job.limits.processes = std::max(job.limits.processes, kToolProcesses);
}

Expected<std::string, std::string> read_tool_log(const fs::path& folder) {
  return read_file(folder / kLogName, kMaxToolLog);
}

}  // namespace grader
