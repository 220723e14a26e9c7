// Tools of the CUDA Toolkit that run a program on a real GPU and write a log: Nsight Compute and
// compute-sanitizer. They run in the program's box. Their logs are not trusted: the program can write to the
// same folder. Covered by runner/gpu_tool_test.cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "runner/case_run.hpp"
#include "sandbox/box.hpp"
#include "toolchain/front_end.hpp"

namespace grader {

/// Under a tool, a program may take this many times its limit of time: each kernel is run many times, or with
/// every access checked.
inline constexpr int kToolPatience = 6;

struct GpuTool {
  std::string name;                    ///< of people: "Nsight Compute", "compute-sanitizer (racecheck)"
  std::filesystem::path program;       ///< links resolved
  std::vector<std::string> arguments;  ///< before `--log-file LOG`, the program and its arguments
  std::chrono::milliseconds limit{};   ///< of time
};

inline constexpr std::size_t kMaxToolLog = std::size_t{16} << 20U;

/// The program of that name in PATH or in the toolkit, links resolved; empty if it is not installed.
std::filesystem::path find_gpu_tool(const std::string& name, const FrontEnd& front_end);

/// Lets the tool run the job's command. `folder` is an empty folder for the log, outside the box.
void put_under_tool(BoxJob& job, const GpuTool& tool, const std::filesystem::path& folder, bool isolated);

/// The log that the tool wrote, or why it cannot be read; at most kMaxToolLog bytes.
Expected<std::string, std::string> read_tool_log(const std::filesystem::path& folder);

struct ToolRun {
  CaseRun run;                             ///< of the program, under the tool
  Expected<std::string, std::string> log;  ///< or why it cannot be read
};

}  // namespace grader
