// Tests the diagnostics of CUDA calls that fail.
#include "judge/failed_calls.hpp"

#include "catch.hpp"

namespace failed_calls_test {

namespace {

using grader::CaseRun;
using grader::Diagnostic;
using testing::contains;

const grader::SourceText kSource{"k.cu", {"void f() {", "  CUDA_CHECK(cudaStreamQuery(s));", "}"}};

Diagnostic failed_copy(std::string detail) {
  CaseRun run;
  run.session.failures = {{"cudaMemcpy", 1, std::move(detail)}};
  const auto found = grader::diagnose_calls(run, kSource);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "WG-H08");
  return found[0];
}

}  // namespace

TEST_CASE("a number of bytes that is added to a pointer is named where a copy fails") {
  const auto cause = [](std::string line) {
    CaseRun run;
    run.session.failures = {{"cudaMemcpyAsync", 1, "host memory at this address does not exist"}};
    run.session.failures[0].place = {"/box/k.cu", 1, "f"};
    return grader::diagnose_calls(run, {"k.cu", {std::move(line)}}).at(0).likely_cause;
  };
  CHECK_THAT(cause("  cudaMemcpyAsync(d, h_a + first * sizeof(float), 4 * sizeof(float), kind, s);"),
             contains("a number of bytes is added to a pointer"));
  CHECK_THAT(cause("  cudaMemcpyAsync(d, h_a + first, length * sizeof(float), kind, s);"),
             !contains("added to a pointer"));
}

TEST_CASE("a direction that does not fit the host's array is named") {
  CaseRun run;
  run.session.failures = {{"cudaMemcpy", 1, "the destination is not device memory"}};
  run.session.failures[0].place = {"/box/k.cu", 1, "f"};
  const auto next_step = [&](std::string line) {
    return grader::diagnose_calls(run, {"k.cu", {std::move(line)}}).at(0).next_step;
  };
  CHECK_THAT(next_step("  cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToDevice);"),
             contains("cudaMemcpyDeviceToHost if"));
  CHECK_THAT(next_step("  cudaMemcpy(h_y, h_x, bytes, cudaMemcpyHostToDevice);"),
             contains("allocate the array"));
}

TEST_CASE("a handle that a reset of the device destroyed has the reset as its cause") {
  CaseRun run;
  run.session.failures = {{"cudaEventRecord", 400, "the event does not exist or was destroyed"}};
  CHECK_THAT(grader::diagnose_calls(run, kSource).at(0).likely_cause, contains("already destroyed"));
  run.session.failures[0].detail += "; the program has called cudaDeviceReset, which destroys all of them";
  const Diagnostic by_reset = grader::diagnose_calls(run, kSource).at(0);
  CHECK_THAT(by_reset.likely_cause, contains("also those of the code that calls the function"));
  CHECK(by_reset.next_step == "remove the call of cudaDeviceReset");
}

TEST_CASE("a pointer in place of its address is explained") {
  CHECK_THAT(failed_copy("the pointer's address is null").likely_cause,
             contains("instead of the pointer's address"));
}

TEST_CASE("a copy that does not fit is explained by its two sizes") {
  const auto cause = [](const char* sizes) { return failed_copy(sizes).likely_cause; };
  CHECK_THAT(cause("1024 bytes, but the destination has room for 8 up to the end of its allocation"),
             contains("the size of a pointer"));
  CHECK_THAT(cause("4096 bytes, but the destination has room for 1024 up to the end of its host array"),
             contains("sizeof(float) twice"));
  CHECK_THAT(cause("4100 bytes, but the destination has room for 4096 up to the end of its host array"),
             contains("the copy is 4 bytes longer than the array"));
  CHECK_THAT(cause("16 bytes, but the source has room for 4 up to the end of its host array"),
             contains("its size is rounded up"));
  CHECK_THAT(cause("65536 bytes, but the source has room for 16900 up to the end of its host array"),
             contains("the copy is larger than the array"));
  CHECK_THAT(cause("1156 bytes at offset 0 of a variable of 900 bytes"),
             contains("larger than the variable"));
  CHECK_THAT(cause("900 bytes at offset 1 of a variable of 900 bytes"), contains("the fourth argument"));
  CHECK_THAT(cause("the destination is a null pointer"), contains("no call has given this pointer memory"));
  CHECK_THAT(cause("the size is larger than any memory"), contains("is negative"));
  CHECK_THAT(cause("the source is in memory that has been freed"), contains("static or global"));
  CHECK_THAT(cause("the source begins 8 bytes after the end of `h_a`, which has 32 bytes"),
             contains("is outside of the array"));
  CHECK_THAT(cause("the destination begins 4 bytes before `h_a`, which has 32 bytes"),
             contains("is outside of the array"));
}

}  // namespace failed_calls_test
