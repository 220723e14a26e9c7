// The front ends, which compile a CUDA source file to PTX and host code: nvcc if a CUDA Toolkit is found;
// otherwise clang with the kit's own cuda_runtime.h and without a toolkit. The same commands build students'
// files, baselines, solutions and test kernels. This module finds compilers, forms commands and parses
// compilers' messages; it runs only `--version` and dry runs of the compilers that it finds.
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
#include "toolchain/omitted_headers.hpp"

namespace grader {

enum class FrontEndKind { nvcc, clang };
enum class DeviceKind { virtual_gpu, cuda };
std::string_view to_string(FrontEndKind kind);  // "nvcc", "clang"
std::string_view to_string(DeviceKind kind);    // "virtual", "cuda"

struct FrontEnd {
  FrontEndKind kind{};
  std::filesystem::path compiler;     ///< absolute, links resolved; clang is run with --driver-mode=g++
  std::filesystem::path host_linker;  ///< links the shared object: g++, or clang if there is no g++
  std::string version;                ///< "nvcc 13.0.88", "clang 14.0.6"
  int major_version = 0;
  int host_major_version = 0;          ///< nvcc only: of g++, which compiles the host's code; 0: unknown
  std::filesystem::path toolkit_root;  ///< nvcc only: its toolkit's folder, which contains bin/
  /// Why this compiler was chosen: "no CUDA Toolkit found; clang 14 is the newest clang on PATH".
  std::string reason;
};

/// The oldest clang whose own CUDA headers work with the kit's cuda_runtime.h.
inline constexpr int kOldestClang = 14;

/// Searches for `requested` (from --front-end or WARPGRADE_FRONT_END), else for nvcc (WARPGRADE_NVCC, PATH,
/// CUDA_HOME, /usr/local/cuda), else for the newest clang 14 or later (WARPGRADE_CLANG, clang++-NN, clang++).
/// If a WARPGRADE_ variable names a compiler that does not work, that is an error; it is never skipped.
/// Diagnostics: WG-G30 no usable compiler was found, WG-G31 a variable does not name a working compiler; both
/// name what to install or correct.
Expected<FrontEnd, Diagnostic> find_front_end(std::optional<FrontEndKind> requested);

/// WG-G32 if this front end cannot build for `device`: clang without a toolkit builds only for the virtual
/// GPU.
std::optional<Diagnostic> refuse_device(const FrontEnd& front_end, DeviceKind device);

/// The source as this front end can compile it; lines keep their numbers.
std::string adapted_source(const FrontEnd& front_end, std::string_view source);

using Command = std::vector<std::string>;

/// All paths are fixed names that the grader chose, because nvcc passes file names to a shell.
struct CompileJob {
  std::filesystem::path source;         ///< "/src/tiled_matmul.cu" as seen where the command runs
  std::filesystem::path assembly;       ///< output of the compiler: the host's code, not yet assembled
  std::filesystem::path object;         ///< output of the assembler
  std::filesystem::path shared_object;  ///< output of the link
  std::vector<std::filesystem::path> include_folders;  ///< the student API
  std::filesystem::path kit_cuda_include;              ///< the kit's cuda_runtime.h, for clang
  std::filesystem::path runtime_library;  ///< libcudart to link: the kit's (virtual) or the toolkit's (cuda)
  std::filesystem::path scratch_folder;   ///< for intermediate files
  std::filesystem::path export_list;      ///< version script for the linker; empty: all symbols are visible
  DeviceKind device = DeviceKind::virtual_gpu;
  int compute_capability = 0;  ///< cuda only: 90 for sm_90
  OmittedHeaders omitted;      ///< of those that the compiler reads for every file
  /// Lambdas with __device__ in host code. nvcc alone needs an option for them, and takes half as long again.
  bool extended_lambdas = false;
};

/// One or two commands that create `assembly`; run them in order and stop at the first failure.
/// Precondition: !refuse_device(front_end, job.device).
std::vector<Command> compile_commands(const FrontEnd& front_end, const CompileJob& job);
/// The C++ text that the host's compiler reads, which compile_commands() leave in the scratch folder; nullopt
/// if that is the source itself.
std::optional<std::filesystem::path> host_source(const FrontEnd& front_end, const CompileJob& job);
/// The PTX of all kernels, which compile_commands() leave in the scratch folder.
std::filesystem::path device_code(const FrontEnd& front_end, const CompileJob& job);
/// Creates `object`.
Command assemble_command(const FrontEnd& front_end, const CompileJob& job);
/// Links the object into a shared object whose undefined symbols are an error.
Command link_command(const FrontEnd& front_end, const CompileJob& job);

/// Folders and files outside /usr that the compiler must be able to read: the toolkit, if it is elsewhere.
std::vector<std::filesystem::path> needed_folders(const FrontEnd& front_end);

/// The first errors of a compiler's or linker's output as WG-C diagnostics, with line numbers of
/// `source_name`; repeated errors are merged. Returns at least one diagnostic, even if no line of the output
/// is an error, and at most kMaxCompilerDiagnostics; the last one contains the number of further errors. The
/// output is not trusted (students write #error lines): control characters are removed and long messages are
/// cut.
///   WG-C01 the compiler rejects a line             WG-C02 a function is used but not defined anywhere
///   WG-C03 a library function is not available     WG-C04 an include file cannot be opened
///   WG-C05 the compiler failed without an error message
std::vector<Diagnostic> read_compiler_output(std::string_view output, std::string_view source_name);
inline constexpr std::size_t kMaxCompilerDiagnostics = 5;

}  // namespace grader
