// Host code that uses memory before the device's work on it has ended: must-trigger and must-not-trigger
// cases.
#include <fmt/format.h>

#include "base/files.hpp"
#include "catch.hpp"
#include "standalone/program_fixture.hpp"

using testing::contains;

namespace {

const testing::CudaProgram& program() {
  static const testing::CudaProgram built("host_guard.cu");
  return built;
}

/// The line of the comment "early: NAME".
std::size_t line_of(const std::string& name) {
  const std::string text =
      testing::text_of(testing::source_folder() / "grader/tests/kernels/standalone/host_guard.cu");
  const std::size_t at = text.find("early: " + name + "\n");
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

void must_be_reported(const std::string& name, const std::string& what) {
  const auto ended = program().run({name});
  INFO(name);
  CHECK(ended.out == "0\n");  // the program still reads the right values
  CHECK_THAT(ended.err, contains("error[WG-R08]: host code " + what) &&
                            contains(fmt::format("--> host_guard.cu:{}\n", line_of(name))));
}

}  // namespace

TEST_CASE("host code that does not wait is reported with its line and the work to wait for") {
  must_be_reported("read_managed", "reads memory that `twice` in the default stream might still write");
  must_be_reported("read_result", "reads memory that `sum` in the default stream might still write");
  must_be_reported("write_managed", "changes memory that `sum` in the default stream might still read");
  must_be_reported("read_copy", "reads memory that the copy to the host in the default stream might still");
  must_be_reported("refill",
                   "changes memory that the copy to the device in the default stream might still read");
  must_be_reported("mapped", "reads memory that `twice` in the default stream might still write");
  must_be_reported("wrong_stream", "reads memory that `twice` in stream 1 might still write");
  must_be_reported("in_a_loop", "reads memory that `twice` in the default stream might still write");
  must_be_reported("read_variable", "reads memory that `sum` in the default stream might still write");
  must_be_reported("write_variable", "changes memory that `below` in the default stream might still read");
  must_be_reported("unregister",
                   "unregisters memory that the copy to the host in the default stream might still write");
}

TEST_CASE("reports name the line that issued the work, for host code and for races between two streams") {
  const std::string host = program().run({"read_managed"}).err;
  CHECK_THAT(host, contains("16384 bytes of managed memory; `twice` in the default stream was issued at "
                            "host_guard.cu:" +
                            std::to_string(line_of("read_managed") - 1) + "\n"));
  const std::size_t line = line_of("two_streams");
  const std::string streams = program().run({"two_streams"}).err;
  CHECK_THAT(streams,
             contains(fmt::format("--> host_guard.cu:{}\n", line)) &&
                 contains(fmt::format("`twice` in stream 1 was issued at host_guard.cu:{}", line - 1)));
}

TEST_CASE("a release in stream order is reported with its line") {
  const std::string freed = program().run({"free_async"}).err;
  CHECK_THAT(freed, contains("cudaFreeAsync in stream 1 frees memory that `twice` in the default stream") &&
                        contains(fmt::format("--> host_guard.cu:{}\n", line_of("free_async"))) &&
                        contains("16384 bytes of allocation 1"));
}

TEST_CASE("the memory is named, and repeated accesses of one line are reported once") {
  CHECK_THAT(program().run({"read_result"}).err, contains("first seen: 4 bytes of managed memory;"));
  CHECK_THAT(program().run({"mapped"}).err, contains("first seen: 16384 bytes of pinned memory;"));
  CHECK_THAT(program().run({"in_a_loop"}).err, contains("seen 10 times"));
}

TEST_CASE("host code that waits in any way, and memory next to memory in use, are not reported") {
  for (const char* name :
       {"wait_for_all", "wait_for_event", "blocking_copy", "notified_by_host_function", "watch_flag",
        "set_managed", "other_part", "neighbour", "child", "threads", "variables"}) {
    const auto ended = program().run({name});
    INFO(name);
    CHECK(ended.out == "0\n");
    // The program leaves its memory to cudaDeviceReset, which is a leak.
    CHECK_THAT(ended.err, !contains("WG-R") && !contains("error"));
  }
}

TEST_CASE("a program with a handler of its own for faults is not watched") {
  const auto ended = program().run({"own_handler"});
  CHECK(ended.code == 0);
  CHECK(ended.out == "0\n");
}

TEST_CASE("the JSON report has races between host code and streams") {
  const grader::TemporaryFolder folder("report");
  const std::string file = folder.path() / "report.json";
  testing::warpgrade({"run", "--report", file, program().path(), "read_managed"});
  CHECK_THAT(testing::text_of(file), contains("WG-R08") && contains("host code reads memory that `twice`"));
}
