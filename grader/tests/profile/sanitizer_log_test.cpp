// Logs that compute-sanitizer 2025.3.1 wrote on an H100, and damaged ones.
#include "profile/sanitizer_log.hpp"

#include "catch.hpp"
#include "profile/logs.hpp"

namespace sanitizer_log_test {

using namespace grader;
using profile_sample::recorded_log;
using testing::contains;

SanitizerLog log_of(const std::string& name, std::string_view tool) {
  return read_sanitizer_log(recorded_log(name), tool, {"t.cu", std::vector<std::string>(30, "text")});
}

Diagnostic only_finding(const std::string& name, std::string_view tool) {
  const SanitizerLog log = log_of(name, tool);
  CHECK(log.errors.empty());
  REQUIRE(log.findings.size() == 1);
  return log.findings.front();
}

TEST_CASE("a complete log without findings") {
  CHECK(log_of("clean.log", "memcheck").findings.empty());
  CHECK(log_of("clean.log", "memcheck").errors.empty());
  CHECK(log_of("clean_races.log", "racecheck").findings.empty());
  CHECK(log_of("clean_races.log", "racecheck").errors.empty());
}

TEST_CASE("findings become diagnostics with their line, and equal ones are merged") {
  const Diagnostic write = only_finding("past_end.log", "memcheck");
  CHECK(write.code == "WG-M02");
  CHECK(write.what == "compute-sanitizer (memcheck): Invalid __global__ write of size 4 bytes");
  CHECK(write.where == SourceLocation{"t.cu", 13});
  CHECK(write.source_line == "text");
  CHECK(write.count == 2);
  CHECK_THAT(write.first, contains("by thread (232,0,0) in block (3,0,0)") &&
                              contains("1 bytes after the nearest allocation") && !contains("Host Frame"));
  const Diagnostic race = only_finding("races.log", "racecheck");
  CHECK(race.code == "WG-R01");
  CHECK(race.severity == Severity::error);
  CHECK(race.where == SourceLocation{"t.cu", 14});
  CHECK_THAT(race.first, contains("Read access") && contains("t.cu:15"));
  CHECK(only_finding("unwritten.log", "initcheck").code == "WG-M07");
  CHECK(only_finding("barrier.log", "synccheck").code == "WG-B01");
  CHECK(only_finding("failed_call.log", "memcheck").code == "WG-H08");
}

TEST_CASE("the failure of a call after an invalid access is no finding of its own") {
  CHECK(only_finding("misaligned.log", "memcheck").code == "WG-M03");
}

TEST_CASE("the log of a run that is not complete is never clean") {
  CHECK_THAT(log_of("no_cuda.log", "memcheck").errors.at(0), contains("terminated before first"));
  CHECK_THAT(log_of("abort.log", "memcheck").errors.at(0), contains("process didn't terminate successfully"));
  const auto errors_of = [](const std::string& text) {
    return read_sanitizer_log(text, "memcheck", {}).errors;
  };
  CHECK(errors_of("").size() == 2);
  CHECK_THAT(errors_of("========= COMPUTE-SANITIZER\n").at(0), contains("no summary"));
  CHECK_THAT(errors_of("========= ERROR SUMMARY: 0 errors\n").at(0), contains("no heading"));
  CHECK_THAT(errors_of("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 3 errors\n").at(0),
             contains("counts 3 errors, but none can be read"));
  CHECK(errors_of("rubbish\n").size() == 2);
}

TEST_CASE("a finding of an unknown kind is still a finding") {
  const SanitizerLog log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n========= Something new\n========= \n========= ERROR SUMMARY: 1 error\n",
      "synccheck", {});
  REQUIRE(log.findings.size() == 1);
  CHECK(log.findings[0].code == "WG-B01");
}

TEST_CASE("a log that ends anywhere is read without a crash, and is not clean") {
  const std::string whole = recorded_log("past_end.log");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const SanitizerLog log = read_sanitizer_log(whole.substr(0, size), "memcheck", {});
    CHECK_FALSE((log.findings.empty() && log.errors.empty()));
  }
}

}  // namespace sanitizer_log_test
