// Host assembly is refused however it is written, with both front ends; assembly for the GPU and harmless
// code that looks like assembly pass.
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "tests/runner/kit.hpp"

namespace assembly_test {
namespace {

using namespace grader;

/// "" if the file is built, else the code and line of the first diagnostic: "WG-S23:3".
std::string outcome(const FrontEnd& front_end, const std::string& source) {
  static const auto sandbox = Sandbox::open();
  REQUIRE(sandbox);
  const TemporaryFolder folder("warpgrade-test");
  std::ofstream(folder.path() / "lab.cu", std::ios::binary) << source;
  const Runner runner(testing::kit_paths(), front_end, *sandbox, testing::test_options());
  const policy::Rules rules{.entries = {"entry"}};
  const auto built = runner.build(folder.path() / "lab.cu", "lab.cu", &rules);
  if (built) return "";
  const Diagnostic& first = built.error().diagnostics.front();
  UNSCOPED_INFO(first.what);
  return first.code + ":" + std::to_string(first.where ? first.where->line : 0);
}

std::vector<FrontEnd> installed_front_ends() {
  std::vector<FrontEnd> found;
  for (const FrontEndKind kind : {FrontEndKind::nvcc, FrontEndKind::clang})
    if (const auto front_end = find_front_end(kind)) found.push_back(*front_end);
  REQUIRE_FALSE(found.empty());
  return found;
}

/// Fences have no effect on the results, and the assembler accepts them everywhere.
const std::vector<std::pair<int, std::string>> kHostAssembly{
    {2, "#define __device__\n__device__ void f() { asm volatile(\"mfence\"); }\n"},
    {2, "#define GLUE(a, b) a##b\nvoid f() { GLUE(as, m) volatile(\"mfence\"); }\n"},
    {1, "__host__ __device__ void f() { asm volatile(\"mfence\"); }\n"},
    {1, "__asm__(\".text\\nhidden: ret\\n\");\n"},
    {1, "void f() { asm volatile(\"\\n#NO_APP\\n\\tmfence\\n#APP\\n\"); }\n"},
    {2,
     "template <class T> struct S {\n  static void f() { __asm__ volatile(\"mfence\"); }\n};\n"
     "template struct S<int>;\n"},
};

const std::string kHonest = R"(
#define FENCE asm volatile("membar.gl;")
#define KERNEL __global__ void
__host__ __device__ int lane() {
#ifdef __CUDA_ARCH__
  int r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
#else
  return 0;
#endif
}
struct Table {
  __device__ void touch() { __asm__ __volatile__("membar.cta;"); }
};
template <class T>
__device__ T twice(T x) {
  if (x > 0) asm volatile("membar.cta;\n");
  return 2 * x;
}
KERNEL kernel(int* p) {
  FENCE;
  Table().touch();
  p[0] = lane() + twice(1);
}
extern "C" unsigned long entry(unsigned long v) {
  const char* text = "asm volatile(\"syscall\")\n#APP\n";  // asm
  asm volatile("" : "+r"(v) : : "memory");
  kernel<<<1, 1>>>(nullptr);
  return (v ^ 0x0fc3050f050f050fu) * 0xc3050f00050f05u + text[lane()];
}
)";

}  // namespace

TEST_CASE("host assembly is refused with its line, however it is written") {
  for (const FrontEnd& front_end : installed_front_ends())
    for (const auto& [line, source] : kHostAssembly) {
      INFO(front_end.version << "\n" << source);
      CHECK(outcome(front_end, source) == "WG-S23:" + std::to_string(line));
    }
}

/// g++ copies these names into its assembly code; clang quotes them.
const std::vector<std::pair<int, std::string>> kAssemblyInNames{
    {1, "__attribute__((section(\"foo\\n\\tmfence\\n\\t.section bar\"))) void g() {}\n"},
    {2, "#define NAME(x) #x\n[[gnu::section(NAME(a\\nmfence\\n.section b))]] int v = 3;\n"},
    {1, "__attribute__((__section__(R\"(.data;mfence)\"))) int v = 3;\n"},
    {1, "int h() asm(\"label\\n\\tmfence\\nother\");\nint h() { return 1; }\n"},
    {2, "\nstatic int f() __attribute__((weakref(\"a\\n\\tmfence\\n#\")));\nint g() { return f(); }\n"},
};

/// g++ stores these literals in the block in which nvcc's kernels are.
TEST_CASE("constants of the first function are not taken for assembly") {
  const std::string begin = "#include <cstdio>\n__global__ void kernel(int* p) { *p = 1; }\n";
  const std::string end = "extern \"C\" void entry(int v) { report(v); kernel<<<1, 1>>>(nullptr); }\n";
  for (const char* report : {"[[gnu::noinline]] static void report(int v) { std::printf(\"v = %d; "
                             "\\\"%s\\\"\\n\", v, \"a\\0b\"); }\n",
                             "[[gnu::noinline]] static void report(int v) { std::puts(\"text\"); "
                             "std::fputs(\"#APP\\n\", stderr); }\n",
                             "[[gnu::noinline]] static void report(int v) { const int all[] = {7, 5, -3, 2, "
                             "9, 4, 6, 8}; std::printf(\"%d %ls\", "
                             "all[v & 7], L\"wide\"); }\n"})
    for (const FrontEnd& front_end : installed_front_ends()) {
      INFO(front_end.version << "\n" << report);
      CHECK(outcome(front_end, begin + report + end) == "");
    }
}

TEST_CASE("assembly in the names of sections and symbols is refused with its line") {
  const auto nvcc = find_front_end(FrontEndKind::nvcc);
  if (!nvcc) return;
  for (const auto& [line, source] : kAssemblyInNames) {
    INFO(source);
    CHECK(outcome(*nvcc, source) == "WG-S23:" + std::to_string(line));
  }
  CHECK(outcome(*nvcc,
                "__attribute__((section(\".data.own\"))) int v = 3;\n[[deprecated(\"a;\\n\")]] void f();\n"
                "extern \"C\" int entry() { return v; }\n") == "");
}

TEST_CASE("a carriage return ends a comment for some compilers, and hides nothing") {
  const std::string source =
      "extern \"C\" void entry() { // text \r asm volatile(\"mfence\");\n  __asm(\"lfence\"); }\n";
  for (const FrontEnd& front_end : installed_front_ends())
    CHECK_THAT(outcome(front_end, source), testing::contains("WG-S23"));
}

TEST_CASE("assembly for the GPU, statements without instructions and unlucky constants pass") {
  for (const FrontEnd& front_end : installed_front_ends()) CHECK(outcome(front_end, kHonest) == "");
}

TEST_CASE("a system call inside a constant is refused if a constant address leads there") {
  const auto calling_at = [](const std::string& offset) {
    return R"(
__attribute__((noinline)) static long number(long v) { return v * 0x050f050f050f050f; }  // mov rax, imm64
extern "C" long entry(long v) {
  return number(v) + ((long (*)(long))((char*)&number + )" +
           offset + "))(1);\n}\n";
  };
  for (const FrontEnd& front_end : installed_front_ends()) {
    CHECK(outcome(front_end, calling_at("0")) == "");
    CHECK_THAT(outcome(front_end, calling_at("2")), testing::contains("WG-S24"));
  }
}

}  // namespace assembly_test
