// Compares the kit's own CUDA headers with those of an installed toolkit: compiles a probe program with both
// and compares the output. The probe is generated from the kit's headers, so it covers all of them.

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.hpp"
#include "catch.hpp"
#include "cudart/run_command.hpp"
#include "toolchain/front_end.hpp"

namespace header_parity_test {

using std::filesystem::path;

namespace {

const path kInclude = path(WARPGRADE_SOURCE_DIR) / "grader/vgpu/cudart/include";

std::string text_of(const path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Every `name = value,` of a header's enums.
void probe_enumerators(std::ostream& probe, const path& header) {
  const std::string text = text_of(header);
  const std::regex enumerator(R"((cuda\w+)( = \w+)?,?\n)");
  for (std::sregex_iterator at(text.begin(), text.end(), enumerator), end; at != end; ++at) {
    probe << "  SHOW(" << (*at)[1] << ");\n";
  }
}

/// The offset and size of every member of `struct name { … };`.
void probe_struct(std::ostream& probe, const path& header, const std::string& name) {
  const std::string text = text_of(header);
  const std::size_t start = text.find("struct " + name + " {");
  REQUIRE(start != std::string::npos);
  const std::string body = text.substr(start, text.find("\n};", start) - start);
  const std::regex member(R"((\w+)(\[\d+\])?;)");
  probe << "  SHOW(sizeof(" << name << "));\n";
  for (std::sregex_iterator at(body.begin(), body.end(), member), end; at != end; ++at) {
    probe << "  SHOW(offsetof(" << name << ", " << (*at)[1] << "));\n";
    probe << "  SHOW(sizeof(((" << name << "*)0)->" << (*at)[1] << "));\n";
  }
}

void probe_macros(std::ostream& probe, const path& header) {
  const std::string text = text_of(header);
  const std::regex macro(R"(#define (cuda\w+) )");
  for (std::sregex_iterator at(text.begin(), text.end(), macro), end; at != end; ++at) {
    probe << "  SHOW(" << (*at)[1] << ");\n";
  }
}

void probe_vectors(std::ostream& probe) {
  for (const char* type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                           "ulonglong", "float", "double"}) {
    for (int width = 1; width <= 4; ++width) {
      probe << "  SHOW(sizeof(" << type << width << "));\n  SHOW(alignof(" << type << width << "));\n";
    }
  }
  probe << "  SHOW(sizeof(dim3));\n";
}

std::string write_probe() {
  std::ostringstream probe;
  probe << "#include <cstddef>\n#include <cstdio>\n#include <cuda_runtime.h>\n"
           "#define SHOW(x) std::printf(\"%s %lld\\n\", #x, (long long)(x))\nint main() {\n";
  probe_enumerators(probe, kInclude / "kit/error_codes.h");
  probe_enumerators(probe, kInclude / "kit/device_attributes.h");
  probe_enumerators(probe, kInclude / "driver_types.h");
  probe_macros(probe, kInclude / "driver_types.h");
  probe_struct(probe, kInclude / "kit/device_properties.h", "cudaDeviceProp");
  probe_struct(probe, kInclude / "driver_types.h", "cudaFuncAttributes");
  for (const char* header :
       {"kit/launch_types.h", "kit/memory_types.h", "kit/graph_types.h", "kit/texture_types.h"}) {
    probe_enumerators(probe, kInclude / header);
    probe_macros(probe, kInclude / header);
  }
  for (const char* name :
       {"cudaPointerAttributes", "cudaPitchedPtr", "cudaExtent", "cudaPos", "cudaMemcpy3DParms",
        "cudaMemcpy3DPeerParms", "cudaMemLocation", "cudaMemAccessDesc", "cudaMemPoolProps"})
    probe_struct(probe, kInclude / "kit/memory_types.h", name);
  for (const char* name :
       {"cudaKernelNodeParams", "cudaMemsetParams", "cudaHostNodeParams", "cudaKernelNodeParamsV2",
        "cudaMemcpyNodeParams", "cudaMemsetParamsV2", "cudaHostNodeParamsV2", "cudaChildGraphNodeParams",
        "cudaEventWaitNodeParams", "cudaEventRecordNodeParams", "cudaGraphNodeParams"})
    probe_struct(probe, kInclude / "kit/graph_types.h", name);
  for (const char* name : {"cudaChannelFormatDesc", "cudaTextureDesc"})
    probe_struct(probe, kInclude / "kit/texture_types.h", name);
  probe_struct(probe, kInclude / "kit/launch_types.h", "cudaAccessPolicyWindow");
  for (const char* type :
       {"cudaLaunchAttribute", "cudaLaunchAttributeValue", "cudaLaunchConfig_t", "cudaGraphEdgeData",
        "cudaGraphInstantiateParams", "cudaGraphExecUpdateResultInfo", "cudaResourceDesc"})
    probe << "  SHOW(sizeof(" << type << "));\n";
  probe_vectors(probe);
  probe << "}\n";
  return probe.str();
}

std::string probed_with(const path& folder, const path& include) {
  const std::string program = (folder / "probe").string();
  const auto compiled = testing::run_command(
      {"g++", "-std=c++17", "-w", "-I", include.string(), "-o", program, program + ".cpp"});
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  return testing::run_command({program}).output;
}

}  // namespace

TEST_CASE("enumerators, structures and vector types have the values and layouts of CUDA 13") {
  const auto toolkit = grader::find_front_end(grader::FrontEndKind::nvcc);
  if (!toolkit || toolkit->major_version != 13) {
    WARN("needs the headers of a CUDA Toolkit 13");
    return;
  }
  const grader::TemporaryFolder folder("header-parity");
  REQUIRE(grader::write_file_atomically(folder.path() / "probe.cpp", write_probe()));
  const std::string ours = probed_with(folder.path(), kInclude);
  CHECK(ours.find("cudaErrorIllegalAddress 700") != std::string::npos);
  CHECK(ours == probed_with(folder.path(), toolkit->toolkit_root / "include"));
}

TEST_CASE("every function of CUDA 13's runtime library exists") {
  const auto toolkit = grader::find_front_end(grader::FrontEndKind::nvcc);
  if (!toolkit || toolkit->major_version != 13) {
    WARN("needs the library of a CUDA Toolkit 13");
    return;
  }
  const auto functions = [](const std::string& library) {
    std::set<std::string> names;
    std::istringstream lines(testing::run_command({"nm", "-D", "--defined-only", library}).output);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t name = line.find(" T cuda");
      if (name != std::string::npos) names.insert(line.substr(name + 3, line.find('@') - name - 3));
    }
    return names;
  };
  const std::string library = (toolkit->toolkit_root / "lib64/libcudart.so.13").string();
  const auto theirs = functions(library);
  if (theirs.empty()) {
    WARN("nm lists no function of " << library << ": is that part of the toolkit installed?");
    return;
  }
  const auto ours = functions(VIRTUAL_CUDART);
  std::vector<std::string> missing;
  std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(), std::back_inserter(missing));
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("host code compiles with the kit's headers without a CUDA compiler and without warnings") {
  const grader::TemporaryFolder folder("header-host");
  const path source = folder.path() / "host.cpp";
  REQUIRE(grader::write_file_atomically(
      source,
      "#include <cuda_runtime.h>\n#include <cuda_profiler_api.h>\n#include <device_launch_parameters.h>\n"
      "#include <memory>\n"
      "int main() { float* p = nullptr; const dim3 grid(3); const float4 v = make_float4(1, 2, 3, 4);\n"
      "  return cudaMalloc(&p, 4) + static_cast<int>(grid.x + v.x); }\n"));
  const auto compiled =
      testing::run_command({"g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I",
                            kInclude.string(), "-fsyntax-only", source.string()});
  INFO(compiled.output);
  CHECK(compiled.status == 0);
}

}  // namespace header_parity_test
