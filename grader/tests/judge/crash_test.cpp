// Tests the diagnosis of crashes of host code at the edge of an array.
#include "judge/crash.hpp"

#include <csignal>

#include "catch.hpp"

namespace crash_test {

namespace {

using grader::Diagnostic;
using grader::SourceText;
using testing::contains;

const SourceText kSource{"k.cu", {"for (int i = 0; i <= n; ++i)", "  sum += h_a[i];"}};

Diagnostic crash_after(const std::string& printed, int signal = SIGSEGV, const SourceText& source = kSource) {
  grader::CaseRun run;
  run.end = grader::CaseRun::End::crashed;
  run.code = signal;
  run.printed = printed;
  grader::harness::Job job;
  job.inputs = {{{"h_a", {257}, {}}, grader::harness::Place::host}};
  job.outputs = {{"h_c", {1}, grader::harness::Place::host}};
  return grader::diagnose_crash(run, job, source);
}

}  // namespace

TEST_CASE("a crash in a launch with an array of arguments names their addresses") {
  const SourceText source{"k.cu",
                          {"cudaLaunchKernel((const void*)add, 1, 256, arguments, 0, stream);",
                           "cudaLaunchHostFunc(stream, add, a);"}};
  const auto cause = [&](const char* line) {
    return crash_after(std::string("warpgrade: host code crashed at k.cu:") + line + "\n", SIGSEGV, source)
        .likely_cause;
  };
  CHECK_THAT(cause("1"), contains("is not the address of an argument"));
  CHECK_THAT(cause("2"), !contains("address of an argument"));
}

TEST_CASE("a crash next to an array of the harness names the array, the index and the line") {
  const Diagnostic read = crash_after(
      "warpgrade: host code read byte 1028 of the 1028 bytes of array h_a\n"
      "warpgrade: host code crashed at k.cu:2\n");
  CHECK(read.code == "WG-H01");
  CHECK(read.what == "the program crashed: host code reads past the end of `h_a`");
  CHECK(read.first == "index 257, but `h_a` has 257 elements");
  CHECK(read.where == grader::SourceLocation{"k.cu", 2});
  CHECK_THAT(read.likely_cause, contains("ends too late"));
  const Diagnostic write = crash_after("warpgrade: host code wrote byte -4100 of the 4 bytes of array h_c\n");
  CHECK(write.what == "the program crashed: host code writes before the start of `h_c`");
  CHECK(write.first == "index -1025, but `h_c` has 1 element");
  CHECK_THAT(write.likely_cause, contains("is negative"));
}

TEST_CASE("a crash next to memory of the submission names the kind of memory, and the byte") {
  const Diagnostic write = crash_after(
      "warpgrade: host code wrote byte 400 of the 400 bytes of memory from malloc or new\n"
      "warpgrade: host code crashed at k.cu:2\n");
  CHECK(write.what == "the program crashed: host code writes past the end of memory from malloc or new");
  CHECK(write.first ==
        "byte 400 of memory that has 400 bytes: element 100 of 100, if they are of type float or int");
  CHECK(write.where == grader::SourceLocation{"k.cu", 2});
  CHECK_THAT(write.likely_cause, contains("ends too late"));
  const Diagnostic read = crash_after("warpgrade: host code read byte -4 of the 64 bytes of pinned memory\n");
  CHECK(read.what == "the program crashed: host code reads before the start of pinned memory");
  CHECK(read.first == "4 bytes before its start");
  CHECK_THAT(read.likely_cause, contains("is negative"));
}

TEST_CASE("free of device memory is not taken for an access by host code") {
  const auto cause = [](const char* line) {
    return crash_after("warpgrade: WG-H14: device memory\nwarpgrade: host code crashed at k.cu:1\n", SIGSEGV,
                       SourceText{"k.cu", {line}})
        .likely_cause;
  };
  CHECK_THAT(cause("  free(d_x);"), contains("free() or delete"));
  CHECK_THAT(cause("  delete[] d_x;"), contains("free() or delete"));
  CHECK_THAT(cause("  d_x[0] = 1;  // free"), contains("dereferences a pointer to device memory"));
}

TEST_CASE("a crash in memory that the program freed names the memory, the call that freed it and its line") {
  const SourceText source{"k.cu", {"cudaMallocHost(&h_s, 64);", "cudaFreeHost(h_s);", "sum += h_s[1];"}};
  const std::string note = "warpgrade: host code read byte 4 of the 64 bytes of memory that ";
  const Diagnostic read = crash_after(
      note + "cudaFreeHost freed at k.cu:2, allocated at k.cu:1\nwarpgrade: host code crashed at k.cu:3\n",
      SIGSEGV, source);
  CHECK(read.what == "the program crashed: host code reads memory that was freed: `h_s`");
  CHECK(read.first == "byte 4 of 64; allocated in line 1; freed by cudaFreeHost in line 2");
  CHECK(read.where == grader::SourceLocation{"k.cu", 3});
  CHECK_THAT(read.next_step, contains("call cudaFreeHost after"));
  const Diagnostic unknown = crash_after(note + "cudaFree freed at other.cu:9\n", SIGSEGV, source);
  CHECK(unknown.what == "the program crashed: host code reads memory that was freed");
  CHECK(unknown.first == "byte 4 of 64");
  CHECK_THAT(unknown.likely_cause, contains("cudaFree is called"));
}

TEST_CASE("a full stack of the host is reported with both sizes") {
  const std::string note = "warpgrade: the stack of host code has 8388608 bytes, and it needs 16777300\n";
  const Diagnostic full = crash_after(note + "warpgrade: host code crashed at k.cu:2\n");
  CHECK(full.what == "the program crashed (SIGSEGV, the stack of the host is full)");
  CHECK(full.first == "the stack has 8 MiB, and host code needs at least 16 MiB");
  CHECK_THAT(full.likely_cause, contains("local array"));
  CHECK_THAT(full.next_step, contains("std::vector"));
  CHECK(full.where == grader::SourceLocation{"k.cu", 2});
  for (const std::string& other : {note.substr(0, 55), std::string("and it needs 5")})
    CHECK_THAT(crash_after(other).what, contains("a wrong pointer"));
  CHECK_THAT(crash_after(note, SIGFPE).what, contains("SIGFPE"));
}

TEST_CASE("other crashes name no array") {
  for (const char* printed :
       {"", "warpgrade: host code read byte 4 of the 4 bytes of array unknown\n",
        "the program read byte 4 of the 4 bytes of array h_c\n", " bytes of array h_c\n"}) {
    const Diagnostic other = crash_after(printed);
    CHECK(other.what == "the program crashed (SIGSEGV, a wrong pointer)");
    CHECK(other.first.empty());
  }
  const std::string note = "warpgrade: host code read byte 4 of the 4 bytes of array h_c\n";
  CHECK_THAT(crash_after(note, SIGFPE).what, contains("SIGFPE"));
}

}  // namespace crash_test
