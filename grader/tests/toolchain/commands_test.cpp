// Pins the parts of the commands that determine what students' programs mean or what a sandbox must mount.

#include <algorithm>

#include "catch.hpp"
#include "toolchain/front_end.hpp"

using namespace grader;

namespace {

FrontEnd nvcc() {
  FrontEnd front_end;
  front_end.kind = FrontEndKind::nvcc;
  front_end.compiler = "/opt/cuda/bin/nvcc";
  front_end.host_linker = "/usr/bin/g++";
  front_end.version = "nvcc 13.0.88";
  front_end.major_version = 13;
  front_end.toolkit_root = "/opt/cuda";
  return front_end;
}

FrontEnd clang(int major_version) {
  FrontEnd front_end;
  front_end.kind = FrontEndKind::clang;
  front_end.compiler = "/usr/lib/llvm/bin/clang";
  front_end.host_linker = front_end.compiler;
  front_end.version = "clang " + std::to_string(major_version) + ".0.0";
  front_end.major_version = major_version;
  return front_end;
}

CompileJob job() {
  CompileJob job;
  job.source = "/src/tiled_matmul.cu";
  job.assembly = "/out/submission.s";
  job.object = "/out/submission.o";
  job.shared_object = "/out/submission.so";
  job.include_folders = {"/kit/labs/include"};
  job.kit_cuda_include = "/kit/cuda";
  job.runtime_library = "/kit/lib/libcudart.so";
  job.scratch_folder = "/tmp";
  return job;
}

bool has(const Command& command, const std::string& word) {
  return std::find(command.begin(), command.end(), word) != command.end();
}

bool has_pair(const Command& command, const std::string& first, const std::string& second) {
  const auto found = std::search(command.begin(), command.end(), &first, &first + 1);
  for (auto at = found; at != command.end(); ++at) {
    if (*at == first && std::next(at) != command.end() && *std::next(at) == second) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("nvcc embeds plain PTX with line information for the virtual GPU") {
  const auto commands = compile_commands(nvcc(), job());
  REQUIRE(commands.size() == 1);
  const Command& command = commands.front();
  CHECK(command.front() == "/opt/cuda/bin/nvcc");
  CHECK(has_pair(command, "-gencode", "arch=compute_80,code=compute_80"));
  CHECK(has(command, "-lineinfo"));
  CHECK(has(command, "-no-compress"));
  CHECK(has_pair(command, "-ccbin", "/usr/bin/g++"));
  CHECK(has_pair(command, "-I", "/kit/labs/include"));
  CHECK(has_pair(command, "-Xcompiler", "-S"));
  // What g++ reads is examined.
  CHECK(has_pair(command, "--keep-dir", job().scratch_folder.string()));
  CHECK(host_source(nvcc(), job()) == job().scratch_folder / "tiled_matmul.cudafe1.cpp");
  CHECK_FALSE(host_source(clang(14), job()));
  CHECK(device_code(nvcc(), job()) == job().scratch_folder / "tiled_matmul.ptx");
  CHECK(has_pair(command, "-o", "/out/submission.s"));
  CHECK(command.back() == "/src/tiled_matmul.cu");
  CHECK_FALSE(has_pair(command, "-I", "/kit/cuda"));
}

TEST_CASE("host code's local variables without initial value have the same contents in every run") {
  const std::string pattern = "-ftrivial-auto-var-init=pattern";
  FrontEnd front_end = nvcc();
  CHECK_FALSE(has_pair(compile_commands(front_end, job()).front(), "-Xcompiler", pattern));
  front_end.host_major_version = 12;
  CHECK(has_pair(compile_commands(front_end, job()).front(), "-Xcompiler", pattern));
  const auto commands = compile_commands(clang(14), job());
  CHECK_FALSE(has(commands[0], pattern));  // device code: the virtual GPU follows such values
  CHECK(has(commands[1], pattern));
}

TEST_CASE("each compiler's host code is assembled with its own assembler") {
  const Command gnu = assemble_command(nvcc(), job()), llvm = assemble_command(clang(16), job());
  CHECK(gnu.front() == "/usr/bin/g++");
  CHECK(has_pair(gnu, "-o", "/out/submission.o"));
  CHECK(gnu.back() == "/out/submission.s");
  FrontEnd mixed = clang(16);
  mixed.host_linker = "/usr/bin/g++";
  CHECK(assemble_command(mixed, job()) == llvm);
  CHECK(llvm.front() == mixed.compiler);
}

TEST_CASE("nvcc generates machine code for the given architecture and PTX for a real GPU") {
  CompileJob real = job();
  real.device = DeviceKind::cuda;
  real.compute_capability = 90;
  const Command command = compile_commands(nvcc(), real).front();
  CHECK(has_pair(command, "-gencode", "arch=compute_90,code=sm_90"));
  CHECK(has_pair(command, "-gencode", "arch=compute_90,code=compute_90"));
}

TEST_CASE("clang compiles for the device first and embeds the result in the host object") {
  const auto commands = compile_commands(clang(14), job());
  REQUIRE(commands.size() == 2);
  CHECK(has(commands[0], "--cuda-device-only"));
  CHECK(has_pair(commands[0], "-o", "/tmp/device.ptx"));
  CHECK(has(commands[1], "--cuda-host-only"));
  CHECK(has(commands[1], "/tmp/device.ptx"));
  CHECK(has(commands[1], "-S"));
  CHECK(has_pair(commands[1], "-o", "/out/submission.s"));
  for (const Command& command : commands) {
    CHECK(has(command, "--driver-mode=g++"));
    CHECK(has(command, "-nocudainc"));
    CHECK(has_pair(command, "-I", "/kit/cuda"));
  }
}

TEST_CASE("the PTX version is requested with each clang's own option") {
  CHECK(has(compile_commands(clang(14), job())[0], "+ptx75"));
  CHECK(has(compile_commands(clang(19), job())[0], "--cuda-feature=+ptx75"));
}

TEST_CASE("both front ends link with all symbols defined") {
  for (const FrontEnd& front_end : {nvcc(), clang(14)}) {
    const Command command = link_command(front_end, job());
    CHECK(command.front() == front_end.host_linker);
    CHECK(has(command, "-Wl,-z,defs"));
    CHECK(has(command, "-Wl,-Bsymbolic"));
    CHECK(has_pair(command, "-o", "/out/submission.so"));
    CHECK(command.back() == "/kit/lib/libcudart.so");
  }
}

TEST_CASE("malloc and new of a submission are those of the virtual GPU's runtime library") {
  for (const char* option :
       {"-Wl,--wrap=malloc", "-Wl,--wrap=free", "-Wl,--wrap=_Znwm", "-Wl,--wrap=_ZdaPvm"}) {
    CompileJob on_gpu = job();
    CHECK(has(link_command(nvcc(), on_gpu), option));
    on_gpu.device = DeviceKind::cuda;
    CHECK_FALSE(has(link_command(nvcc(), on_gpu), option));
  }
}

TEST_CASE("files without the standard library are linked without it") {
  CompileJob without = job();
  without.omitted.standard_library = without.omitted.utility = true;
  CHECK(has(link_command(nvcc(), without), "-nodefaultlibs"));
  CHECK(has_pair(compile_commands(nvcc(), without)[0], "-I", "/kit/cuda/short"));
  CHECK_FALSE(has_pair(compile_commands(clang(14), without)[0], "-I", "/kit/cuda/short"));
  CHECK_FALSE(has(link_command(nvcc(), job()), "-nodefaultlibs"));
}

TEST_CASE("only clang without a toolkit is refused for a real GPU") {
  const auto refusal = refuse_device(clang(14), DeviceKind::cuda);
  REQUIRE(refusal);
  CHECK(refusal->code == "WG-G32");
  CHECK_THAT(refusal->next_step, testing::contains("CUDA Toolkit"));
  CHECK_FALSE(refuse_device(clang(14), DeviceKind::virtual_gpu));
  CHECK_FALSE(refuse_device(nvcc(), DeviceKind::cuda));
}

TEST_CASE("a compiler outside of /usr needs its folder, one inside needs none") {
  CHECK(needed_folders(nvcc()) == std::vector<std::filesystem::path>{"/opt/cuda"});
  CHECK(needed_folders(clang(14)).empty());
}
