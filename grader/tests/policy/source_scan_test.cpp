#include "policy/source_scan.hpp"

#include "catch.hpp"

using grader::policy::SourceScan;

TEST_CASE("a word is found in code only") {
  const SourceScan scan(
      "// fopen\n/* fopen\n*/ const char* s = \"fopen\";\nint fopened;\nR\"x(fopen\n)\" fopen)x\"; "
      "fopen();\n");
  CHECK(scan.line_of("fopen") == 6);
  CHECK(scan.line_of("missing") == 0);
}

TEST_CASE("assembly in kernels and device functions is device code, elsewhere it is host code") {
  const SourceScan scan(
      "__global__ void k() { if (1) { asm(\"x\"); } }\n"
      "__device__ int f() { asm volatile(\"x\"); return 1; }\n"
      "void host() { asm(\"x\"); }\n"
      "asm(\"x\");\n"
      "#define A asm(\"x\")\n"
      "__host__ __device__ void both() { __asm__(\"x\"); }\n"
      "__global__ void declared();\nvoid host2() { __asm(\"x\"); }\n"
      "namespace n { struct S { __device__ void g() { asm(\"\"); } void h() { asm(\"\"); } }; }\n");
  CHECK(scan.host_assembly() == std::vector<int>{3, 4, 5, 6, 8, 9});
}

TEST_CASE("comments, splices and separators neither hide nor invent words") {
  CHECK(SourceScan("void f() { as\\\nm(\"x\"); }").host_assembly() == std::vector<int>{1});
  CHECK(SourceScan("int n = 1'000; char c = '\"'; void f() { asm(\"\"); }").host_assembly().size() == 1);
  CHECK(SourceScan("// asm \\\n asm\nint x;").host_assembly().empty());
  CHECK(SourceScan("\"unfinished\nasm").host_assembly().size() == 1);
  CHECK(SourceScan("R\"(never ends asm").host_assembly().empty());
  CHECK(SourceScan("/* never ends asm").host_assembly().empty());
}

TEST_CASE("headers are found, also in unusual spellings") {
  const SourceScan scan(
      "#include <vector>\n  # /* a */ include \"thrust/sort.h\"\n%:include <cub/cub.cuh>\n#include "
      "NAME\n#inc\\\nlude <omp.h>\n");
  REQUIRE(scan.includes().size() == 5);
  CHECK(scan.includes()[1].header == "thrust/sort.h");
  CHECK(scan.includes()[1].line == 2);
  CHECK(scan.includes()[2].header == "cub/cub.cuh");
  CHECK(scan.includes()[3].header.empty());
  CHECK(scan.includes()[4].header == "omp.h");
}
