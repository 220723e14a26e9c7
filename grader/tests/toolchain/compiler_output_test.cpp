// Compilers' messages become diagnostics that a student can act on. The texts are the output of nvcc 13.0,
// clang 14, g++ 12 and GNU ld 2.40 for these mistakes.

#include "catch.hpp"
#include "toolchain/front_end.hpp"

using namespace grader;

namespace {

Diagnostic only(const std::vector<Diagnostic>& diagnostics) {
  REQUIRE(diagnostics.size() == 1);
  return diagnostics.front();
}

Diagnostic read_one(std::string_view output) { return only(read_compiler_output(output, "tiled_matmul.cu")); }

SourceLocation in_source(int line) { return {"tiled_matmul.cu", line}; }

}  // namespace

TEST_CASE("nvcc's errors are read with the line of the student's file") {
  const auto errors = read_compiler_output(
      "/src/submission.cu(7): error: expected a \";\"\n"
      "  __attribute__((global)) void k(float* p) { p[threadIdx.x] = 1 }\n"
      "                                                                ^\n"
      "\n"
      "/src/submission.cu(9): error: identifier \"undefined_fn\" is undefined\n"
      "2 errors detected in the compilation of \"/src/submission.cu\".\n",
      "tiled_matmul.cu");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].code == "WG-C01");
  CHECK(errors[0].what == "expected a \";\"");
  CHECK(errors[0].where == in_source(7));
  CHECK(errors[1].what == "identifier \"undefined_fn\" is undefined");
  CHECK(errors[1].where == in_source(9));
}

TEST_CASE("clang's and g++'s errors are read with the line of the student's file") {
  const Diagnostic error = read_one(
      "/src/submission.cu:12:49: error: expected ';' after expression\n"
      "__global__ void k(float* p) { p[threadIdx.x] = 1 }\n"
      "1 error generated when compiling for sm_80.\n");
  CHECK(error.code == "WG-C01");
  CHECK(error.what == "expected ';' after expression");
  CHECK(error.where == in_source(12));
}

TEST_CASE("g++'s typographic quotes are plain, and other characters stay as they are") {
  const Diagnostic quoted = read_one("/src/submission.cu:7:3: error: expected ‘;’ before ‘}’ token\n");
  CHECK(quoted.what == "expected ';' before '}' token");
  CHECK_THAT(quoted.next_step, testing::contains("semicolon"));
  const Diagnostic own =
      read_one("/src/submission.cu:7:3: error: static assertion failed: größer “als” 16 × 16\n");
  CHECK(own.what == "static assertion failed: größer \"als\" 16 × 16");
  CHECK(read_one("/src/submission.cu:7:3: error: a\x1b[2J\xff\xc2\x9b b\n").what == "a?[2J?? b");
  // A long message is cut between characters.
  std::string long_message;
  while (long_message.size() < 500) long_message += "ß×";
  const std::string cut = read_one("/src/submission.cu:7:3: error: a" + long_message + "\n").what;
  CHECK(cut.size() < 260);
  CHECK_THAT(cut, testing::contains("ß×ß"));
  CHECK_THAT(cut, !testing::contains("?"));
  CHECK(cut.ends_with("..."));
}

TEST_CASE("the most common errors have advice") {
  const auto advice = [](const std::string& message) {
    return read_one("/src/submission.cu(7): error: " + message + "\n").next_step;
  };
  CHECK_THAT(advice("expected a \";\""), testing::contains("line before"));
  CHECK_THAT(advice("class \"cudaDeviceProp\" has no member \"deviceOverlap\""),
             testing::contains("asyncEngineCount"));
  CHECK_THAT(advice("identifier \"undefined_fn\" is undefined"), testing::contains("spelling"));
  CHECK_THAT(advice("calling a __host__ function(\"f\") from a __global__ function(\"k\") is not allowed"),
             testing::contains("__device__"));
  CHECK(advice("array initializer must be an initializer list") == "correct the line, or the one before it");
}

TEST_CASE("an error inside a header names the header without its folders") {
  const Diagnostic error =
      read_one("/kit/labs/include/lab/tiled_matmul.hpp(14): error: expected a declaration\n");
  CHECK(error.where == SourceLocation{"tiled_matmul.hpp", 14});
}

TEST_CASE("an include file that cannot be opened is named, whatever the compiler") {
  for (const char* output :
       {"/src/a.cu:1:10: fatal error: nope.h: No such file or directory\ncompilation terminated.\n",
        "/src/a.cu:1:10: fatal error: 'nope.h' file not found\n",
        "/src/a.cu(1): catastrophic error: cannot open source file \"nope.h\"\n"}) {
    const Diagnostic error = read_one(output);
    CHECK(error.code == "WG-C04");
    CHECK(error.what == "cannot open the include file nope.h");
    CHECK(error.where == in_source(1));
  }
}

TEST_CASE("features that only nvcc supports are named with this advice") {
  for (const char* output : {"/src/a.cu:1:10: fatal error: 'cuda_fp16.h' file not found\n",
                             "/src/a.cu:1:10: fatal error: 'cub/block/block_reduce.cuh' file not found\n",
                             "/src/a.cu:3:7: error: use of undeclared identifier 'tex2D'\n",
                             "/src/a.cu:3:7: error: use of undeclared identifier 'nvcuda'\n",
                             "/src/a.cu:3:7: error: unknown type name '__half2'\n"})
    CHECK_THAT(read_one(output).next_step, testing::contains("--front-end nvcc"));
  for (const char* output : {"/src/a.cu:1:10: fatal error: 'mine.h' file not found\n",
                             "/src/a.cu:1:10: fatal error: cuda/bariier: No such file or directory\n",
                             "/src/a.cu:3:7: error: use of undeclared identifier 'texture'\n",
                             "/src/a.cu:3:7: error: use of undeclared identifier 'half_size'\n"})
    CHECK_THAT(read_one(output).next_step, !testing::contains("--front-end nvcc"));
}

TEST_CASE("an undefined function is distinguished from a library function that is not available") {
  const auto errors = read_compiler_output(
      "/usr/bin/ld: e2.o: in function `f':\n"
      "tmpxft_000038c9_00000000-6_err2.cudafe1.cpp:(.text+0x102): undefined reference to "
      "`missing_host(int)'\n"
      "/usr/bin/ld: tmpxft.cpp:(.text+0x111): undefined reference to `cublasSgemm_v2'\n"
      "ld.lld: error: undefined symbol: customer_count()\n"
      "ptxas fatal   : Unresolved extern function '_Z6helperf'\n"
      "collect2: error: ld returned 1 exit status\n",
      "tiled_matmul.cu");
  REQUIRE(errors.size() >= 4);
  CHECK(errors[0].code == "WG-C02");
  CHECK(errors[0].what == "missing_host(int) is used but not defined anywhere");
  CHECK(errors[1].code == "WG-C03");
  CHECK(errors[1].what == "cublasSgemm_v2 is not available");
  CHECK(errors[2].code == "WG-C02");
  CHECK(errors[2].what == "customer_count() is used but not defined anywhere");
  CHECK(errors[3].code == "WG-C02");
}

TEST_CASE("the linker's closing line is not a separate error") {
  const Diagnostic error = read_one(
      "x.cpp:(.text+0x1): undefined reference to `helper(int)'\n"
      "collect2: error: ld returned 1 exit status\n"
      "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n");
  CHECK(error.code == "WG-C02");
}

TEST_CASE("a symbol defined twice is an error") {
  const Diagnostic error =
      read_one("/usr/bin/ld: b.o: in function `f': b.cpp:(.text+0x0): multiple definition of `f'\n");
  CHECK(error.code == "WG-C01");
  CHECK(error.what == "f is defined more than once");
}

TEST_CASE("errors of ptxas and the compiler drivers are read without a line") {
  const Diagnostic too_large =
      read_one("ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)\n");
  CHECK(too_large.what == "Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)");
  CHECK_FALSE(too_large.where);
  CHECK(read_one("nvcc fatal   : Unsupported gpu architecture 'compute_999'\n").code == "WG-C01");
}

TEST_CASE("warnings, notes and quoted source are not errors") {
  const Diagnostic nothing = read_one(
      "/src/a.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
      "/src/a.cu:3:1: note: candidate function\n"
      "  printf(\"error: not one\");\n");
  CHECK(nothing.code == "WG-C05");
}

TEST_CASE("a failure without a message still gives one diagnostic") {
  CHECK(read_one("").code == "WG-C05");
  CHECK(read_one("").first == "it printed nothing");
  CHECK(read_one("Killed\n").first == "it printed: Killed");
}

TEST_CASE("the same error in the host and in the device half is not repeated") {
  const Diagnostic error = read_one("/src/a.cu:5:1: error: bad\n/src/a.cu:5:1: error: bad\n");
  CHECK(error.count == 1);
}

TEST_CASE("five errors are shown and the last one has the number of further errors") {
  std::string output;
  for (int line = 1; line <= 9; ++line)
    output += "/src/a.cu(" + std::to_string(line) + "): error: bad line\n";
  const auto errors = read_compiler_output(output, "a.cu");
  REQUIRE(errors.size() == kMaxCompilerDiagnostics);
  CHECK_THAT(errors.back().next_step, testing::contains("4 more errors are not shown"));
  CHECK_THAT(errors.front().next_step, !testing::contains("not shown"));
}

TEST_CASE("hostile compiler output gives bounded, printable messages") {
  std::string text = "/src/a.cu:1:2: error: #error \x1b[2J\x07";
  text += std::string(1 << 20, 'x');
  const Diagnostic error = read_one(text);
  CHECK(error.what.size() < 300);
  for (char c : error.what) CHECK((c >= ' ' && c <= '~'));

  for (const char* odd :
       {": error: ", "(): error: x", "(99999999999999999999): error: x", ":::: error: x",
        "a.cu:0:0: error: x", ") : error: ", "undefined reference to ", "undefined symbol: "}) {
    CHECK(read_compiler_output(odd, "a.cu").size() == 1);
  }
}
