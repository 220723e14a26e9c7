// The front ends: what turns a CUDA source file into PTX plus host code. nvcc where a CUDA Toolkit is found;
// otherwise clang with the kit's own cuda_runtime.h, no toolkit at all. The same commands build students'
// files, baselines, solutions and test kernels. This module only finds compilers, forms commands and reads
// compilers' messages; it runs nothing but `--version` of compilers it finds.
//
// Covered by tests/toolchain/ (finding, commands, messages) and tests/cudart/ (compiled programs run).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"

namespace grader {

enum class FrontEndKind { nvcc, clang };
enum class DeviceKind { virtual_gpu, cuda };
std::string_view to_string(FrontEndKind kind);  // "nvcc", "clang"
std::string_view to_string(DeviceKind kind);    // "virtual", "cuda"

struct FrontEnd {
  FrontEndKind kind{};
  std::filesystem::path compiler;     ///< absolute, links resolved; clang is run with --driver-mode=g++
  std::filesystem::path host_linker;  ///< links the shared object: g++, or clang where there is no g++
  std::string version;                ///< "nvcc 13.0.88", "clang 14.0.6"
  int major_version = 0;
  std::filesystem::path toolkit_root;  ///< nvcc only: the folder above bin/ of its toolkit
  std::string
      reason;  ///< why this one: "nvcc found on PATH", "no CUDA Toolkit found; clang 14 is the newest clang"
};

/// The oldest clang whose own CUDA headers the kit's cuda_runtime.h builds on.
inline constexpr int kOldestClang = 14;

/// Looks for `wanted` (from --front-end or WARPGRADE_FRONT_END), else nvcc (WARPGRADE_NVCC, PATH, CUDA_HOME,
/// /usr/local/cuda), else the newest clang 14 or later (WARPGRADE_CLANG, clang++-NN, clang++). A compiler
/// named by a WARPGRADE_ variable that does not work is an error, never passed over. Diagnostics: WG-G30 no
/// usable compiler was found, WG-G31 a variable names something that is none; they say what to install or
/// correct.
Expected<FrontEnd, Diagnostic> find_front_end(std::optional<FrontEndKind> wanted);

/// WG-G32 when this front end cannot build for `device`: clang without a toolkit builds for the virtual GPU
/// only.
std::optional<Diagnostic> refuse_device(const FrontEnd& front_end, DeviceKind device);

using Command = std::vector<std::string>;

/// All paths are fixed names chosen by the grader: nvcc hands file names to a shell.
struct CompileJob {
  std::filesystem::path source;         ///< "/src/tiled_matmul.cu" as seen where the command runs
  std::filesystem::path object;         ///< output
  std::filesystem::path shared_object;  ///< output of the link
  std::vector<std::filesystem::path> include_folders;  ///< the student API
  std::filesystem::path kit_cuda_include;              ///< our cuda_runtime.h, for clang
  std::filesystem::path runtime_library;  ///< libcudart to link: ours (virtual) or the toolkit's (cuda)
  std::filesystem::path scratch_folder;   ///< for intermediate files
  std::filesystem::path export_list;      ///< version script of the link; empty: everything stays visible
  DeviceKind device = DeviceKind::virtual_gpu;
  int compute_capability = 0;  ///< cuda only: 90 for sm_90
};

/// One or two commands that leave `object`; run in order, stop at the first failure.
/// Precondition: !refuse_device(front_end, job.device).
std::vector<Command> compile_commands(const FrontEnd& front_end, const CompileJob& job);
/// Links the object into a shared object whose undefined symbols are an error.
Command link_command(const FrontEnd& front_end, const CompileJob& job);

/// Folders and files (read-only) that the compiler needs to see beyond /usr: the toolkit when it is
/// elsewhere.
std::vector<std::filesystem::path> needed_folders(const FrontEnd& front_end);

/// The first errors of a compiler's or linker's output as WG-C diagnostics, folded, with line numbers of
/// `source_name`. At least one diagnostic, also when nothing in the output looks like an error; at most
/// kMaxCompilerDiagnostics, the last of which says how many errors follow. The output is not trusted
/// (students write #error lines): control characters are dropped and long messages cut.
///   WG-C01 the compiler rejects a line             WG-C02 a function is used but defined nowhere
///   WG-C03 a library function is not available     WG-C04 an include file cannot be opened
///   WG-C05 the compiler failed without saying why
std::vector<Diagnostic> read_compiler_output(std::string_view output, std::string_view source_name);
inline constexpr std::size_t kMaxCompilerDiagnostics = 5;

}  // namespace grader
