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

TEST_CASE("comments, splices and separators neither hide nor invent words") {
  CHECK(SourceScan("void f() { as\\\nm(\"x\"); }").line_of("asm") == 1);
  CHECK(SourceScan("int n = 1'000; char c = '\"'; void f() { asm(\"\"); }").line_of("asm") == 1);
  CHECK(SourceScan("// asm \\\n asm\nint x;").line_of("asm") == 0);
  CHECK(SourceScan("\"unfinished\nasm").line_of("asm") == 2);
  CHECK(SourceScan("R\"(never ends asm").line_of("asm") == 0);
  CHECK(SourceScan("/* never ends asm").line_of("asm") == 0);
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

TEST_CASE("headers that are included under a condition are left to the compiler") {
  const SourceScan scan(
      "#if 0\n#include <thrust/sort.h>\n#else\n#ifdef A\n#endif\n#include <cub/cub.cuh>\n# endif\n#include "
      "<map>\n");
  REQUIRE(scan.includes().size() == 1);
  CHECK(scan.includes()[0].header == "map");
}
