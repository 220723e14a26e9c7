#include "standalone/program_fixture.hpp"

#include "catch.hpp"
#include "toolchain/front_end.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;

void must_run(const grader::Command& command) {
  const Ended ended = run(command);
  INFO(ended.err);
  REQUIRE(ended.code == 0);
}

}  // namespace

CudaProgram::CudaProgram(const std::string& source) {
  const auto front_end = grader::find_front_end(std::nullopt);
  REQUIRE(front_end);
  const fs::path library = fs::path(WARPGRADE_BINARY_DIR) / "lib/virtual/libcudart.so";
  grader::CompileJob job;
  job.source = source_folder() / "grader/tests/kernels/standalone" / source;
  job.assembly = folder_.path() / "program.s";
  job.object = folder_.path() / "program.o";
  job.kit_cuda_include = source_folder() / "grader/vgpu/cudart/include";
  job.scratch_folder = folder_.path();
  const bool is_nvcc = front_end->kind == grader::FrontEndKind::nvcc;
  for (grader::Command command : compile_commands(*front_end, job)) {
    // Line numbers of host code, as `warpgrade nvcc` requests them.
    if (is_nvcc) command.emplace_back("-Xcompiler");
    command.emplace_back("-g1");
    must_run(command);
  }
  must_run(assemble_command(*front_end, job));
  must_run({front_end->host_linker, "-o", path(), job.object, library,
            "-Wl,-rpath," + library.parent_path().string()});
}

Ended CudaProgram::run(std::vector<std::string> arguments, const Setting& setting) const {
  arguments.insert(arguments.begin(), path());
  return testing::run(arguments, setting);
}

const CudaProgram& modes() {
  static const CudaProgram program("modes.cu");
  return program;
}

}  // namespace testing
