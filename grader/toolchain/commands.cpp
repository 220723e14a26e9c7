// The commands that build one CUDA source file. Everything is passed explicitly: the commands use no
// configuration file, no environment variable and no name that a student chose.

#include <cassert>

#include <fmt/format.h>

#include "toolchain/braced_launches.hpp"
#include "toolchain/front_end.hpp"
#include "toolchain/host_lines.hpp"
#include "toolchain/virtual_architecture.hpp"

namespace grader {
namespace {

using std::filesystem::path;

void append(Command& command, std::initializer_list<std::string> words) {
  command.insert(command.end(), words);
}

/// <cmath>, which CUDA includes in every file, includes C++17's special functions (std::beta, …), which take
/// a fifth of the compile time. Defining their include guard omits them; the headers that they include and
/// students rely on (std::min, std::numeric_limits) are included here.
void append_without_special_functions(Command& command, const OmittedHeaders& omitted) {
  append(command, {"-D_GLIBCXX_BITS_SPECFUN_H=1"});
  if (!omitted.standard_library) append(command, {"-include", "bits/stl_algobase.h", "-include", "limits"});
}

/// cudafe++ fills 128 MB of tables when a template uses __builtin_constant_p(n) with a dependent n, which
/// <bits/stl_iterator_base_funcs.h> does twice: a third of its time. The standard library uses the builtin to
/// detect constant expressions or to skip a loop, so another builtin serves as well (diagnostic 3060: "always
/// false" in functions that are not constexpr).
void append_constant_test(Command& command) {
  append(command,
         {"-D__builtin_constant_p(value)=__builtin_is_constant_evaluated()", "-diag-suppress", "3060"});
}

void append_includes(Command& command, const std::vector<path>& folders) {
  for (const path& folder : folders) append(command, {"-I", folder.string()});
}

/// Local variables of host code that have no initial value get a pattern, the same in every run: what the
/// stack contains must not decide about a grade.
constexpr const char* kUnsetVariables = "-ftrivial-auto-var-init=pattern";
constexpr int kOldestGccWithPatterns = 12;

Command nvcc_command(const FrontEnd& front_end, const CompileJob& job) {
  // -O is for host code, whose time the virtual GPU does not model; device code is always optimised fully.
  const char* host_level = job.device == DeviceKind::virtual_gpu ? "-O1" : "-O3";
  Command command = {front_end.compiler, "-c",     "-std=c++17",         host_level,
                     "-lineinfo",        "-ccbin", front_end.host_linker};
  // nvcc compiles for host and device at the same time: 0.30 s instead of 0.34 s for one file on two cores.
  append(command, {"--threads", "2"});
  if (job.device == DeviceKind::virtual_gpu) {
    append(command, {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", kVirtualArchitecture)});
    append(command, {"-no-compress"});
  } else {
    append(command, {"-gencode", fmt::format("arch=compute_{0},code=sm_{0}", job.compute_capability)});
    append(command, {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", job.compute_capability)});
  }
  append(command, {"-Xcompiler", "-fPIC"});
  append(command, {"-Xcompiler", "-S"});  // g++ stops before it assembles; -c applies to nvcc only
  append(command,
         {"--keep", "--keep-dir", job.scratch_folder.string()});  // for host_source() and device_code()
  if (front_end.host_major_version >= kOldestGccWithPatterns)
    append(command, {"-Xcompiler", kUnsetVariables});
  // The virtual runtime reports failed calls with their host lines, also if a launch is the last statement of
  // a function; a real GPU's runtime does not use lines.
  if (job.device == DeviceKind::virtual_gpu)
    append(command, {"-Xcompiler", fmt::format("-g1,{}", kEveryCallStays)});
  append(command, {"--expt-relaxed-constexpr"});  // std::min in kernels, which clang permits as well
  if (job.extended_lambdas) append(command, {"--extended-lambda"});
  append_constant_test(command);
  append_without_special_functions(command, job.omitted);
  for (const std::string_view guard : job.omitted.guards) append(command, {fmt::format("-D{}=1", guard)});
  if (job.omitted.utility) append_includes(command, {job.kit_cuda_include / "short"});
  append_includes(command, job.include_folders);
  append(command, {"-o", job.assembly.string(), job.source.string()});
  return command;
}

Command clang_command(const FrontEnd& front_end, const CompileJob& job) {
  Command command = {front_end.compiler, "--driver-mode=g++", "-x", "cuda", "-std=c++17"};
  // Use no toolkit, even if one is installed where clang searches. Without a toolkit clang assumes CUDA 7 and
  // a launch interface that no longer exists; 11.5 is the newest version that clang 14 supports.
  append(command, {"--cuda-path=/nonexistent", "-nocudainc", "-nocudalib"});
  append(command, {"-Xclang", "-target-sdk-version=11.5"});
  append_without_special_functions(command, job.omitted);
  append(command, {"-I", job.kit_cuda_include.string(), "-include", "cuda_runtime.h"});
  append_includes(command, job.include_folders);
  return command;
}

Command clang_device_command(const FrontEnd& front_end, const CompileJob& job, const path& ptx) {
  Command command = clang_command(front_end, job);
  append(command, {"--cuda-device-only", "-S", "-O3", "-g1"});  // -g1: .loc lines
  append(command, {fmt::format("--cuda-gpu-arch=sm_{}", kVirtualArchitecture)});
  // The *_sync intrinsics need PTX 6; clang's default is the oldest PTX that the architecture allows.
  if (front_end.major_version < 16) {
    append(command, {"-Xclang", "-target-feature", "-Xclang", "+ptx75"});
  } else {
    append(command, {"--cuda-feature=+ptx75"});
  }
  append(command, {"-o", ptx.string(), job.source.string()});
  return command;
}

Command clang_host_command(const FrontEnd& front_end, const CompileJob& job, const path& ptx) {
  Command command = clang_command(front_end, job);
  append(command, {"--cuda-host-only", "-S", "-O2", "-fPIC", "-g1", kEveryCallerStays, kUnsetVariables});
  // In the assembly code, comments come only from clang itself (policy/inline_assembly).
  append(command, {"-fno-preserve-as-comments"});
  append(command, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx.string()});
  append(command, {"-o", job.assembly.string(), job.source.string()});
  return command;
}

}  // namespace

std::string_view to_string(FrontEndKind kind) { return kind == FrontEndKind::nvcc ? "nvcc" : "clang"; }
std::string_view to_string(DeviceKind kind) { return kind == DeviceKind::cuda ? "cuda" : "virtual"; }

std::optional<Diagnostic> refuse_device(const FrontEnd& front_end, DeviceKind device) {
  if (device == DeviceKind::virtual_gpu || front_end.kind == FrontEndKind::nvcc) return std::nullopt;
  return diagnose("WG-G32",
                  "programs for a real GPU need nvcc, but the compiler in use is " + front_end.version,
                  "install the CUDA Toolkit, or use the virtual GPU with --device virtual");
}

std::string adapted_source(const FrontEnd& front_end, std::string_view source) {
  return front_end.kind == FrontEndKind::clang ? with_typed_launches(source) : std::string(source);
}

std::vector<Command> compile_commands(const FrontEnd& front_end, const CompileJob& job) {
  assert(!refuse_device(front_end, job.device));
  if (front_end.kind == FrontEndKind::nvcc) return {nvcc_command(front_end, job)};
  const path ptx = device_code(front_end, job);
  return {clang_device_command(front_end, job, ptx), clang_host_command(front_end, job, ptx)};
}

std::optional<path> host_source(const FrontEnd& front_end, const CompileJob& job) {
  if (front_end.kind != FrontEndKind::nvcc) return std::nullopt;
  return job.scratch_folder / (job.source.stem().string() + ".cudafe1.cpp");
}

path device_code(const FrontEnd& front_end, const CompileJob& job) {
  const bool is_nvcc = front_end.kind == FrontEndKind::nvcc;
  return job.scratch_folder / ((is_nvcc ? job.source.stem().string() : "device") + ".ptx");
}

Command assemble_command(const FrontEnd& front_end, const CompileJob& job) {
  // clang's own directives need its own assembler.
  const bool is_clang = front_end.kind == FrontEndKind::clang;
  Command command = {is_clang ? front_end.compiler : front_end.host_linker};
  append(command, {"-c", "-o", job.object.string(), job.assembly.string()});
  return command;
}

Command link_command(const FrontEnd& front_end, const CompileJob& job) {
  Command command = {front_end.host_linker};
  if (front_end.host_linker == front_end.compiler) append(command, {"--driver-mode=g++"});
  // -Bsymbolic: a call of the student's own `step` must not reach the function of that name in the C library.
  append(command,
         {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,-z,now", "-o", job.shared_object.string()});
  if (!job.export_list.empty()) append(command, {"-Wl,--version-script=" + job.export_list.string()});
  if (job.device == DeviceKind::virtual_gpu) {
    // malloc, calloc, realloc, free, new and delete of the runtime library (client/memory/guarded_heap.cpp).
    for (const char* name :
         {"malloc", "calloc", "realloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"})
      append(command, {std::string("-Wl,--wrap=") + name});
  }
  append(command, {job.object.string(), job.runtime_library.string()});
  // The shared C++ library has so many names that they take two thirds of the linker's time. Of the archive
  // for the language itself (exceptions, new, static variables), the linker reads only what is used.
  if (job.omitted.standard_library) append(command, {"-nodefaultlibs", "-lsupc++", "-lgcc_s", "-lc"});
  return command;
}

}  // namespace grader
