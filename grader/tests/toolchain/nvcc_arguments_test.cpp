#include "toolchain/nvcc_arguments.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace grader;
using testing::contains;

namespace {

using Words = std::vector<std::string>;

std::string arguments_of(const Words& users) {
  const auto command = virtual_nvcc_arguments(users, "/kit/lib/libcudart.so");
  REQUIRE(command);
  std::string text;
  for (const std::string& word : *command) text += (text.empty() ? "" : " ") + word;
  return text;
}

const std::string kLink =
    " -cudart none -Xlinker --disable-new-dtags -Xlinker -rpath -Xlinker /kit/lib -lcudart";
/// Searched before the folders that the user names.
const std::string kFolder = "-L/kit/lib ";
const std::string kApart = " -Xcompiler -fno-optimize-sibling-calls,-fno-crossjumping,-fno-tree-tail-merge";
const std::string kCode = " -gencode arch=compute_80,code=[sm_80,compute_80]";
const std::string kFor80 = " -lineinfo -Xcompiler -g1" + kApart + kCode;
const std::string kPtxFor80 =
    " -lineinfo -Xcompiler -g1" + kApart + " -gencode arch=compute_80,code=compute_80";

std::string architecture_for(const Words& options) {
  Words users = {"-ptx", "a.cu"};
  users.insert(users.end(), options.begin(), options.end());
  const std::string text = arguments_of(users);
  return text.substr(text.rfind('=') + 1);
}

std::string refusal_of(const Words& users) {
  const auto command = virtual_nvcc_arguments(users, "/kit/lib/libcudart.so");
  REQUIRE(!command);
  return command.error();
}

}  // namespace

TEST_CASE("a command line that links gets the virtual GPU's runtime after its own files") {
  CHECK(arguments_of({"-O2", "-o", "saxpy", "saxpy.cu", "util.cpp"}) ==
        kFolder + "-O2 -o saxpy saxpy.cu util.cpp" + kFor80 + kLink);
  CHECK(arguments_of({"a.o", "b.o", "-o", "program", "-lcudart", "-lm"}) ==
        kFolder + "a.o b.o -o program -lm" + kFor80 + kLink);
  CHECK(arguments_of({"-cudart", "static", "a.cu", "-lcudart_static", "--cudart=shared"}) ==
        kFolder + "a.cu" + kFor80 + kLink);
}

TEST_CASE("after -x cu, no argument of the virtual GPU is an input file, which nvcc would compile") {
  CHECK(arguments_of({"-x", "cu", "file.c", "-o", "x"}) == kFolder + "-x cu file.c -o x" + kFor80 + kLink);
}

TEST_CASE("a command line that only compiles gets no library") {
  CHECK(arguments_of({"-c", "a.cu", "-std=c++20"}) == "-c a.cu -std=c++20" + kFor80);
  CHECK(arguments_of({"-ptx", "a.cu"}) == "-ptx a.cu" + kPtxFor80);
  CHECK(arguments_of({"-M", "a.cu"}) == "-M a.cu" + kPtxFor80);
}

TEST_CASE("a value that looks like an option or a file is left alone") {
  CHECK(arguments_of({"-o", "-c", "a.cu"}) == kFolder + "-o -c a.cu" + kFor80 + kLink);
  CHECK(arguments_of({"-Xcompiler", "-Wall,-arch=native", "-c", "a.cu"}) ==
        "-Xcompiler -Wall,-arch=native -c a.cu" + kFor80);
}

TEST_CASE("queries such as --version are passed to nvcc unchanged") {
  CHECK(arguments_of({"--version"}) == "--version");
  CHECK(arguments_of({}) == "");
}

TEST_CASE("source lines are requested unless -G keeps them") {
  CHECK(arguments_of({"-c", "-G", "a.cu"}) == "-c -G a.cu -Xcompiler -g1" + kApart + kCode);
  CHECK(arguments_of({"-c", "-lineinfo", "a.cu"}) == "-c -lineinfo a.cu -Xcompiler -g1" + kApart + kCode);
}

TEST_CASE("lines of host code are requested unless the user requests debug information") {
  CHECK(arguments_of({"-c", "-g", "a.cu"}) == "-c -g a.cu -lineinfo" + kApart + kCode);
  CHECK(arguments_of({"-c", "-Xcompiler", "-Wall,-ggdb", "a.cu"}) ==
        "-c -Xcompiler -Wall,-ggdb a.cu -lineinfo" + kApart + kCode);
}

TEST_CASE("clang as the host compiler gets no options against merging calls, because it lacks them") {
  CHECK(arguments_of({"-c", "-ccbin", "clang++-14", "a.cu"}) ==
        "-c -ccbin clang++-14 a.cu -lineinfo -Xcompiler -g1" + kCode);
}

TEST_CASE("code is generated for one architecture that the virtual GPU supports") {
  CHECK(architecture_for({}) == "compute_80");
  CHECK(architecture_for({"-arch=native"}) == "compute_80");
  CHECK(architecture_for({"-arch", "sm_75"}) == "compute_75");
  CHECK(architecture_for({"-arch=sm_86"}) == "compute_86");
  CHECK(architecture_for({"-arch=sm_90a"}) == "compute_90a");
  CHECK(architecture_for({"--gpu-architecture=compute_80", "--gpu-code=sm_80,sm_86"}) == "compute_80");
  CHECK(architecture_for({"-gencode", "arch=compute_75,code=sm_75",
                          "-gencode=arch=compute_80,code=[sm_80,compute_80]",
                          "--generate-code=arch=compute_90,code=sm_90"}) == "compute_80");
  CHECK(architecture_for({"-arch=sm_99999999999999999999"}) == "compute_9999");
}

TEST_CASE("relocatable device code is refused with advice") {
  for (const Words& words : {Words{"-rdc=true", "a.cu"},
                             {"-rdc", "true", "a.cu"},
                             {"--relocatable-device-code=true"},
                             {"-dc", "a.cu"},
                             {"-dlink", "a.o"},
                             {"--device-link", "a.o"}}) {
    CHECK_THAT(refusal_of(words), contains("is not supported") && contains("in a header"));
  }
  CHECK(arguments_of({"-rdc=false", "-c", "a.cu"}) == "-c a.cu" + kFor80);
}

TEST_CASE("libraries that contain only machine code are named") {
  CHECK(libraries_of_real_gpus({"a.cu", "-lcublas", "-lm", "-lcublas"}) == Words{"-lcublas"});
}
