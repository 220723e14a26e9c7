// The course kernels on the virtual GPU give the results of an H200 (h200.txt), bit by bit or within their
// bounds.
#include <sstream>

#include "base/files.hpp"
#include "catch.hpp"
#include "course/results.hpp"
#include "cudart/run_command.hpp"
#include "toolchain/front_end.hpp"

namespace {

const std::filesystem::path kTests = WARPGRADE_SOURCE_DIR "/grader/tests";
const std::string kWarpgrade = WARPGRADE_BINARY_DIR "/bin/warpgrade";

std::vector<course::Comparison> compare_lines(const std::string& one, const std::string& other) {
  std::istringstream first(one), second(other);
  return course::compare(course::read_results(first), course::read_results(second));
}

bool agree(const std::string& one, const std::string& other) {
  const auto comparisons = compare_lines(one, other);
  REQUIRE(comparisons.size() == 1);
  return comparisons.front().agrees;
}

void must_run(const std::vector<std::string>& command) {
  const auto finished = testing::run_command(command);
  INFO(finished.output);
  REQUIRE(finished.status == 0);
}

}  // namespace

TEST_CASE("exact results agree if their bits do, and all NaNs agree") {
  CHECK(agree("k out s32 2 exact 0x0p+0 00000001 ffffffff", "k out s32 2 exact 0x0p+0 00000001 ffffffff"));
  CHECK_FALSE(
      agree("k out s32 2 exact 0x0p+0 00000001 ffffffff", "k out s32 2 exact 0x0p+0 00000001 fffffffe"));
  CHECK(agree("k out f32 1 exact 0x0p+0 7fffffff", "k out f32 1 exact 0x0p+0 7fc00000"));
  CHECK_FALSE(agree("k out f32 1 exact 0x0p+0 00000000", "k out f32 1 exact 0x0p+0 80000000"));
  CHECK_FALSE(agree("k out s32 1 exact 0x0p+0 7fffffff", "k out s32 1 exact 0x0p+0 7fc00000"));
  CHECK_FALSE(agree("k out s32 5000 exact 0x0p+0 hash 12", "k out s32 5000 exact 0x0p+0 hash 13"));
}

TEST_CASE("approximate results agree within twice their bound") {
  CHECK(agree("k out f32 1 ulps 0x1p+0 3f800000", "k out f32 1 ulps 0x1p+0 3f800002"));
  CHECK_FALSE(agree("k out f32 1 ulps 0x1p+0 3f800000", "k out f32 1 ulps 0x1p+0 3f800003"));
  CHECK(agree("k out f32 1 ulps 0x1p+0 00000001", "k out f32 1 ulps 0x1p+0 80000001"));
  CHECK_FALSE(agree("k out f32 1 ulps 0x1p+0 7f800000", "k out f32 1 ulps 0x1p+0 7fc00000"));
  CHECK(agree("k out f32 1 absolute 0x1p-1 3f800000", "k out f32 1 absolute 0x1p-1 40000000"));
  CHECK_FALSE(agree("k out f32 1 absolute 0x1p-2 3f800000", "k out f32 1 absolute 0x1p-2 40000000"));
}

TEST_CASE("results that are missing, failed or of another program do not agree") {
  CHECK_FALSE(agree("k out s32 1 exact 0x0p+0 00000001", ""));
  CHECK_FALSE(agree("", "k out s32 1 exact 0x0p+0 00000001"));
  CHECK_FALSE(agree("k out s32 1 exact 0x0p+0 00000001", "k failed cudaErrorIllegalAddress"));
  CHECK_FALSE(agree("k out s32 1 exact 0x0p+0 00000001", "k out u32 1 exact 0x0p+0 00000001"));
  CHECK_THROWS(compare_lines("k out s32 2 exact 0x0p+0 00000001", ""));
  CHECK_THROWS(compare_lines("k", ""));
}

TEST_CASE("the course kernels give the bits of an H200", "[slow]") {
  // Other compilers fuse multiplications and additions differently.
  if (const auto nvcc = grader::find_front_end(grader::FrontEndKind::nvcc); !nvcc) {
    WARN(nvcc.error().what);
    return;
  }
  const grader::TemporaryFolder folder("course");
  const std::string program = folder.path() / "course", results = folder.path() / "results.txt";
  must_run({kWarpgrade, "nvcc", "-O3", "-std=c++17", "-o", program, kTests / "kernels/course/course.cu"});
  must_run({kWarpgrade, "run", program, results});
  for (const auto& one : course::compare(course::read_results(kTests / "course/h200.txt"),
                                         course::read_results(std::filesystem::path(results)))) {
    INFO(one.launch << " " << one.output << ": " << one.found);
    CHECK(one.agrees);
  }
}
