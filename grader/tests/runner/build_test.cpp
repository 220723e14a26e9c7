// From a source file to a shared object: files that are not source text are refused, effects of hostile
// sources stay in the box, and limits hold.
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"
#include "tests/runner/kit.hpp"

using namespace grader;
using namespace std::chrono_literals;
using Kind = BuildFailure::Kind;
using testing::contains;
using testing::make_runner;
using testing::test_source;

namespace {

BuildFailure failure(const Runner& runner, const std::filesystem::path& source) {
  const auto built = runner.build(source, "tiled_matmul.cu");
  if (built) FAIL("it was built");
  REQUIRE_FALSE(built.error().diagnostics.empty());
  return built.error();
}

/// The code of the first diagnostic for a file with these bytes.
std::string code_for(const std::string& bytes) {
  const TemporaryFolder folder("warpgrade-test");
  std::ofstream(folder.path() / "x.cu", std::ios::binary) << bytes;
  const BuildFailure failed = failure(make_runner(), folder.path() / "x.cu");
  CHECK(failed.kind == Kind::compile_error);
  return failed.diagnostics.front().code;
}

BuildFailure compile_failure(const std::string& name, const RunnerOptions& options) {
  return failure(make_runner(options), test_source("hostile/compile/" + name));
}

}  // namespace

TEST_CASE("files without source text are refused before a compiler reads them") {
  CHECK(code_for("") == "WG-C08");
  CHECK(code_for(" \n\t\r\n") == "WG-C08");
  CHECK(code_for(std::string("\x7f"
                             "ELF\0\0",
                             6)) == "WG-C07");
  CHECK(code_for(std::string((1 << 20U) + 1, ' ')) == "WG-C06");
  CHECK(code_for("\xef\xbb\xbf \r\n") == "WG-C08");
  CHECK(code_for(std::string("\xff\xfei\0n\0t\0", 8)) == "WG-C07");
  CHECK(code_for(std::string("\xfe\xff\0i\0n\0t", 8)) == "WG-C07");
  CHECK(code_for(std::string("i\0n\0t\0", 6)) == "WG-C07");
}

TEST_CASE("byte order marks and line ends of Windows editors are accepted") {
  const TemporaryFolder folder("warpgrade-test");
  const auto source = folder.path() / "x.cu";
  std::ofstream(source, std::ios::binary) << "\xef\xbb\xbf#include \"lab/tiled_matmul.hpp\"\r\n"
                                             "#define TWICE(x) \\\r\n  (2 * (x))\r\n"
                                             "int here = TWICE(1); // \xe4 in Latin-1\r\n";
  CHECK(make_runner().build(source, "tiled_matmul.cu"));
}

TEST_CASE("names of headers that were omitted at first, formed by macros, still compile") {
  const TemporaryFolder folder("warpgrade-test");
  const auto source = folder.path() / "x.cu";
  std::ofstream(source) << R"(
#include "lab/tiled_matmul.hpp"
#define JOIN(a, b) a##b
__global__ void kernel(const float* in, float* out) {
  out[threadIdx.x] = JOIN(__sh, fl_down_sync)(0xffffffffu, JOIN(__l, dg)(&in[threadIdx.x]), 1);
}
int smaller(int a, int b) { return JOIN(s, td)::min(a, b); }
)";
  CHECK(make_runner().build(source, "tiled_matmul.cu"));
  std::ofstream(source) << R"(
#include "lab/tiled_matmul.hpp"
#define JOIN(a, b) a##b
__global__ void kernel(JOIN(dou, ble)* sum) { atomicAdd(sum, 1); }
JOIN(_Flo, at32) half(JOIN(_Flo, at32) x) { return x / 2; }
)";
  CHECK(make_runner().build(source, "tiled_matmul.cu"));
}

TEST_CASE("what a file needs of the C++ library is linked, whether it names the library or not") {
  const TemporaryFolder folder("warpgrade-test");
  const auto source = folder.path() / "x.cu";
  std::ofstream(source) << R"(
#include <cmath>
#include <tuple>
#include "lab/tiled_matmul.hpp"
float* roots(int n) {
  float* const values = new float[n];
  for (int i = 0; i < n; ++i) values[i] = sqrtf(i) + fmodf(i, 3);
  return values;
}
)";
  CHECK(make_runner().build(source, "tiled_matmul.cu"));
}

TEST_CASE("the standard library's constant expressions compile without warnings") {
  const TemporaryFolder folder("warpgrade-test");
  const auto source = folder.path() / "x.cu";
  std::ofstream(source) << R"(
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>
constexpr std::string_view kText = "abc";
static_assert(kText.size() == 3 && kText.compare("abc") == 0);
constexpr int kTwo[] = {3, 1};
static_assert(std::min(kTwo[0], kTwo[1]) == 1 && std::distance(kTwo, kTwo + 2) == 2);
int second(const std::vector<int>& values) {
  auto at = values.begin();
  std::advance(at, 1);
  return *at;
}
)";
  CHECK(make_runner().build(source, "tiled_matmul.cu"));
}

TEST_CASE("anything but a regular file is refused") {
  const TemporaryFolder folder("warpgrade-test");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "link.cu");
  std::filesystem::create_directory(folder.path() / "folder.cu");
  REQUIRE(::mkfifo((folder.path() / "fifo.cu").c_str(), 0600) == 0);
  for (const char* name : {"link.cu", "folder.cu", "fifo.cu", "missing.cu"}) {
    const BuildFailure failed = failure(make_runner(), folder.path() / name);
    CHECK(failed.kind == Kind::compile_error);
    CHECK(failed.diagnostics.front().code == "WG-C06");
  }
}

TEST_CASE("a source that does not compile gives the compiler's message with its line") {
  const TemporaryFolder folder("warpgrade-test");
  std::ofstream(folder.path() / "x.cu") << "#include \"lab/tiled_matmul.hpp\"\n\nint broken = nowhere;\n";
  const BuildFailure failed = failure(make_runner(), folder.path() / "x.cu");
  CHECK(failed.kind == Kind::compile_error);
  REQUIRE(failed.diagnostics.front().where);
  CHECK(failed.diagnostics.front().where->file == "tiled_matmul.cu");
  CHECK(failed.diagnostics.front().where->line == 3);
}

TEST_CASE("the name of a student's file is not passed to a shell") {
  const TemporaryFolder folder("warpgrade-test");
  const auto source = folder.path() / "a$(touch pwned)`touch pwned` -o x;.cu";
  std::ofstream(source) << "#include \"lab/tiled_matmul.hpp\"\n";
  const auto built = make_runner().build(source, "tiled_matmul.cu");
  REQUIRE(built);
  CHECK(std::filesystem::exists(built->shared_object()));
  CHECK_FALSE(std::filesystem::exists("pwned"));
}

TEST_CASE("a built object is deleted with its last copy, and nothing else is left") {
  const TemporaryFolder folder("warpgrade-test");
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  {
    const Runner runner = make_runner();
    const Built copy = testing::build(runner, test_source("hostile/no_entry.cu"));
    CHECK(std::filesystem::exists(copy.shared_object()));
    CHECK_FALSE(runner.build(test_source("hostile/compile/take_file.cu"), "tiled_matmul.cu"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  ::unsetenv("TMPDIR");
}

TEST_CASE("a compiler is stopped when it takes too much memory") {
  RunnerOptions options;
  if (make_runner().front_end().kind == FrontEndKind::clang)
    return;  // clang reads /dev/zero as an empty file
  options.compile_limits.memory_bytes = std::uint64_t{512} << 20U;
  const BuildFailure failed = compile_failure("include_zero.cu", options);
  CHECK(failed.kind == Kind::compile_limit);
  CHECK(failed.diagnostics.front().code == "WG-C09");
  CHECK(failed.diagnostics.front().what == "compiling was stopped at 512 MiB of memory");
}

TEST_CASE("a compiler is stopped when it takes too long") {
  RunnerOptions options;
  options.compile_limits.wall = 1s;
  const BuildFailure failed = compile_failure("template_tree.cu", options);
  CHECK(failed.kind == Kind::compile_limit);
  CHECK(failed.diagnostics.front().what == "compiling was stopped after 1 s");
}

TEST_CASE("a compiler with endless output is stopped within its limits [slow]", "[slow]") {
  RunnerOptions options;
  options.compile_limits.wall = 20s;
  const BuildFailure failed = compile_failure("include_itself.cu", options);
  CHECK(failed.kind != Kind::grader_fault);  // GCC is stopped; clang stops by itself
}

TEST_CASE("an object above the limit on files is refused") {
  const BuildFailure failed = compile_failure("big_object.cu", {});
  CHECK(failed.kind != Kind::grader_fault);
}

TEST_CASE("compilers cannot take files of the machine") {
  const BuildFailure failed = compile_failure("take_file.cu", {});
  CHECK(failed.kind == Kind::compile_error);
}

TEST_CASE("a compiler that reads standard input finds it empty") {
  testing::build(make_runner(), test_source("hostile/compile/include_stdin.cu"));
}
