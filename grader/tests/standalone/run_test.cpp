// `warpgrade run`: exit status, report, counters.

#include <algorithm>
#include <csignal>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "schema_check.hpp"
#include "standalone/program_fixture.hpp"

using nlohmann::json;
using testing::contains;
using testing::modes;
using testing::warpgrade;

namespace {

testing::Ended run(std::vector<std::string> options, const std::vector<std::string>& arguments) {
  options.insert(options.begin(), "run");
  options.push_back(modes().path());
  options.insert(options.end(), arguments.begin(), arguments.end());
  return warpgrade(options);
}

json report_of(const std::vector<std::string>& arguments) {
  const grader::TemporaryFolder folder("run");
  const auto file = folder.path() / "report.json";
  run({"--report", file}, arguments);
  const json report = json::parse(testing::text_of(file));
  CHECK(testing::SchemaCheck::of("run.schema.json").problems(report) == std::vector<std::string>{});
  return report;
}

}  // namespace

TEST_CASE("the exit status of warpgrade run is the program's own") {
  CHECK(run({}, {"exit-code", "0"}).code == 0);
  CHECK(run({}, {"exit-code", "37"}).code == 37);
  CHECK(run({}, {"right"}).code == 0);
  CHECK(run({}, {"wrong"}).code == 1);
  CHECK(run({}, {"ignored"}).code == 0);
  CHECK(run({}, {"killed"}).code == 128 + SIGKILL);
  CHECK(run({"--error-exitcode", "9"}, {"ignored"}).code == 9);
  CHECK(run({"--error-exitcode", "9"}, {"right"}).code == 0);
}

TEST_CASE("warpgrade run passes all arguments after the program's name to it") {
  const auto ended = run({}, {"exit-code", "5", "--report", "--version", "-h"});
  CHECK(ended.code == 5);
  CHECK(ended.err == "");
}

TEST_CASE("warpgrade run takes `--` before the program's name, and leaves later ones to the program") {
  CHECK(run({"--"}, {"exit-code", "5"}).code == 5);
  CHECK(run({"--error-exitcode", "9", "--"}, {"exit-code", "5", "--", "-h"}).code == 5);
  CHECK(warpgrade({"run", "--"}).err == "warpgrade run: no program given\nSee `warpgrade run --help`.\n");
}

TEST_CASE("warpgrade run reports errors in its own arguments") {
  CHECK(warpgrade({"run"}).code == 2);
  CHECK_THAT(warpgrade({"run", "--reprot", "x", "./program"}).err, contains("unknown option `--reprot`"));
  CHECK_THAT(warpgrade({"run", "/dev/null/program"}).err, contains("cannot start /dev/null/program"));
  CHECK_THAT(run({"--profile", "/dev/null/profile"}, {"right"}).err, contains("/dev/null/profile"));
}

TEST_CASE("the report holds every launch with its counters, times and faults") {
  const json right = report_of({"right"});
  CHECK(right["exit_code"] == 0);
  REQUIRE(right["programs"].size() == 1);
  const json& launches = right["programs"][0]["launches"];
  REQUIRE(launches.size() == 1);
  CHECK(launches[0]["name"] == "scale");
  CHECK(launches[0]["block"] == json({64, 1, 1}));
  CHECK(launches[0]["counters"]["global_load_requests"] == 2);
  CHECK(launches[0]["modelled_s"]["total"] > 0);
  CHECK(launches[0]["faults"].empty());

  const json wrong = report_of({"wrong"});
  CHECK(wrong["programs"][0]["launches"][0]["faults"][0]["code"] == "WG-M01");
  CHECK(wrong["programs"][0]["api_failures"][0]["call"] == "cudaDeviceSynchronize");

  CHECK(report_of({"leak"})["programs"][0]["never_freed"] == json({{{"allocation", 1}, {"size_bytes", 32}}}));
  CHECK(report_of({"killed"})["signal"] == SIGKILL);
  CHECK(report_of({"exit-code", "3"})["programs"].empty());
}

TEST_CASE("equal runs give equal reports") { CHECK(report_of({"wrong"}) == report_of({"wrong"})); }

TEST_CASE("every program of a script has a device of its own") {
  const grader::TemporaryFolder folder("run");
  const auto file = folder.path() / "report.json";
  const std::string both = modes().path() + " wrong; " + modes().path() + " right";
  const auto ended = warpgrade({"run", "--report", file, "/bin/sh", "-c", both});
  CHECK(ended.code == 0);
  CHECK(ended.out == "cudaErrorIllegalAddress\ncudaSuccess\n");
  CHECK(json::parse(testing::text_of(file))["programs"].size() == 2);
}

TEST_CASE("counters are printed on stderr when requested") {
  const auto ended = run({"--counters"}, {"right"});
  CHECK(ended.out == "cudaSuccess\n");
  CHECK_THAT(ended.err, contains("kernel") && contains("\nscale  "));
}

TEST_CASE("the profile of any program: tables, one page, pictures, and the line on exactness") {
  const grader::TemporaryFolder folder("run");
  const std::string page = folder.path() / "page.html", pictures = folder.path() / "pictures";
  const auto ended = run({"--kernels", "--page", page, "--pictures", pictures, "--ptx"}, {"right"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.err, contains("Profile of program") && contains("occupancy ") &&
                            contains("Arithmetic: exact: no approximate function") &&
                            contains("page: " + page) && contains("ld.global"));
  CHECK_THAT(testing::text_of(page), contains("<svg") && !contains("<script"));
  CHECK(std::filesystem::exists(pictures + "/roofline-lecture.svg"));
  const auto also = run({"--kernels", "--also", "h200"}, {"right"});
  CHECK(also.out == run({}, {"right"}).out);
  CHECK_THAT(also.err, contains("Roofline on lecture") && contains("Roofline on h200"));
  CHECK_THAT(run({"--also", "h200"}, {"right"}).err, contains("--also adds a roofline"));
  CHECK_THAT(run({"--counters"}, {"right"}).err, contains("arithmetic: exact: no approximate function"));
  CHECK_THAT(run({"--kernels", "--no-checks"}, {"right"}).err, contains("leave out --no-checks"));
  CHECK_THAT(run({"--kernels", "--line", "9999"}, {"right"}).err, contains("lines with accesses: modes.cu:"));
}

TEST_CASE("a plain run says which approximate functions a program uses, and nothing if it uses none") {
  const auto ended = warpgrade({"run", testing::CudaProgram("approximate.cu").path()});
  INFO(ended.err);
  CHECK(ended.out == "done\n");
  CHECK_THAT(ended.err, contains("arithmetic: approximate: ex2.approx") && contains("can reach a branch"));
  CHECK(run({}, {"right"}).err.empty());
}

TEST_CASE("the timeline is written as a trace and as a picture") {
  const grader::TemporaryFolder folder("run");
  const auto trace = folder.path() / "trace.json", picture = folder.path() / "timeline.svg";
  CHECK(run({"--trace", trace, "--timeline", picture}, {"right"}).code == 0);
  const json events = json::parse(testing::text_of(trace))["traceEvents"];
  CHECK(std::count_if(events.begin(), events.end(),
                      [](const json& event) { return event["name"] == "scale" && event["ph"] == "X"; }) == 2);
  CHECK_THAT(testing::text_of(picture), contains("<svg ") && contains("scale"));
  const auto refused = run({"--timeline", "/dev/null/timeline.svg"}, {"right"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, contains("cannot write /dev/null/timeline.svg"));
}
