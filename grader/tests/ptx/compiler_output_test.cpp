// The output of nvcc and clang for tests/kernels/ptx/forms.cu: the committed output always, new output if a
// compiler is found.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.hpp"
#include "ptx/ptx_text.hpp"
#include "vgpu/ptx/control_flow.hpp"

using namespace vgpu::ptx;
namespace fs = std::filesystem;

namespace {

const fs::path kTests = fs::path(WARPGRADE_SOURCE_DIR) / "grader/tests";
constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

std::string text_of(const fs::path& file) {
  auto text = grader::read_file(file, kMaxBytes);
  if (!text) FAIL(file << " " << text.error());
  return *std::move(text);
}

const Function& function_like(const Module& module, const std::string& part) {
  const auto found =
      std::find_if(module.functions.begin(), module.functions.end(),
                   [&](const Function& function) { return function.name.find(part) != std::string::npos; });
  REQUIRE(found != module.functions.end());
  return *found;
}

std::size_t count(const Function& function, Opcode opcode) {
  return static_cast<std::size_t>(std::count_if(function.code.begin(), function.code.end(),
                                                [&](const Instruction& i) { return i.opcode == opcode; }));
}

/// Checks the PTX of forms.cu from either compiler.
void check_forms(const Module& module) {
  CHECK(std::count_if(module.functions.begin(), module.functions.end(),
                      [](const Function& function) { return function.is_entry; }) == 6);
  for (const Function& function : module.functions) {
    const auto flow = analyse(function);
    if (!flow) FAIL(function.name << ": " << flow.error().what);
    for (const Instruction& i : function.code) CHECK(i.source.file < module.files.size());
  }
  const Function& matmul = function_like(module, "tiled_matmul");
  CHECK(matmul.max_threads == 256);
  CHECK(matmul.parameters.size() == 6);
  CHECK(count(matmul, Opcode::bar) + count(matmul, Opcode::barrier) == 2);
  CHECK(count(matmul, Opcode::ld) >= 10);
  CHECK(function_like(module, "vprintf").is_extern);
  CHECK_FALSE(function_like(module, "fibonacci").is_extern);
  CHECK(function_like(module, "inline_assembly").labels.size() >= 2);
  const auto pointers = std::find_if(module.variables.begin(), module.variables.end(),
                                     [](const Variable& variable) { return variable.name == "d_pointers"; });
  REQUIRE(pointers != module.variables.end());
  REQUIRE(pointers->relocations.size() == 2);
  CHECK(pointers->relocations[1].symbol == "d_value");
  CHECK(pointers->relocations[1].generic);
  CHECK(module.files.at(1).ends_with("forms.cu"));
}

/// Compiles forms.cu and checks the result; does nothing if the compiler is not available.
void check_new_output(const std::string& compiler, const std::string& flags) {
  const grader::TemporaryFolder folder("ptx-test");
  const fs::path output = folder.path() / "forms.ptx";
  const std::string command = compiler + " " + flags + " '" + (kTests / "kernels/ptx/forms.cu").string() +
                              "' -o '" + output.string() + "' >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) {
    WARN("skipped: " << compiler << " does not compile CUDA here");
    return;
  }
  check_forms(testing::parsed(text_of(output)));
}

std::string nvcc() {
  const bool in_path = std::system("command -v nvcc >/dev/null 2>&1") == 0;
  return in_path ? "nvcc" : "/usr/local/cuda/bin/nvcc";
}

}  // namespace

TEST_CASE("the committed output of nvcc parses") {
  check_forms(testing::parsed(text_of(kTests / "ptx/fixtures/forms_nvcc.ptx")));
}

TEST_CASE("the committed output of clang parses") {
  check_forms(testing::parsed(text_of(kTests / "ptx/fixtures/forms_clang.ptx")));
}

TEST_CASE("new output of nvcc parses", "[slow]") {
  const std::string flags = GENERATE("-ptx -lineinfo -arch=compute_80 -O3", "-ptx -G -arch=compute_80");
  check_new_output(nvcc(), flags);
}

TEST_CASE("new output of clang parses") {
  check_new_output("clang",
                   "-x cuda --cuda-device-only -S -nocudainc -nocudalib --cuda-gpu-arch=sm_80 "
                   "-Xclang -target-feature -Xclang +ptx75 -O3 -g1");
}
