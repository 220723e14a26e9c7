// What the shell can get wrong: the folder for temporary files, the limit of open files, a closed terminal.
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/class_fixture.hpp"

namespace process_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

/// `warpgrade` with these arguments, run by a shell after `setting`.
Ended after(const std::string& setting, const std::string& arguments) {
  return run({"/bin/sh", "-c", setting + "; exec " WARPGRADE_BINARY_DIR "/bin/warpgrade " + arguments});
}

}  // namespace

TEST_CASE("a folder for temporary files that cannot be used is reported before anything runs") {
  const ClassFixture fixture;
  fixture.add("alice", solution());
  const Setting missing{.environment = {{"TMPDIR", "/dev/null/tmp"}}};
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"check", "02-tiled-matmul", "--case", "one"},
           {"grade", fixture.submissions().string(), "--out", fixture.out().string()},
           {"similarity", fixture.submissions().string()},
           {"run", "/bin/true"}}) {
    INFO(command.front());
    const Ended ended = warpgrade(command, missing);
    CHECK(ended.code == 3);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err,
               contains("error[WG-G27]") && contains("TMPDIR=/dev/null/tmp") && contains("export TMPDIR"));
    CHECK_THAT(ended.err, !contains("internal error") && !contains("filesystem error"));
  }
  CHECK_FALSE(fs::exists(fixture.out()));
  CHECK(warpgrade({"explain", "WG-G27"}, missing).code == 0);
  const Ended doctor = warpgrade({"doctor"}, missing);
  CHECK(doctor.code == 3);
  CHECK_THAT(doctor.out, contains("/dev/null/tmp"));
}

TEST_CASE("too few open files are reported with the limit, a low soft limit is raised") {
  const std::string check =
      "check 02-tiled-matmul --device virtual --case one --source " + solution().string();
  const Ended few = after("ulimit -n 16", check);
  CHECK(few.code == 3);
  CHECK(few.out.empty());
  CHECK_THAT(few.err, contains("error[WG-G27]") && contains("only 16 open files") && contains("ulimit -Hn"));
  const Ended raised = after("ulimit -Sn 16", check);
  INFO(raised.err);
  CHECK(raised.code == 0);
}

TEST_CASE("a closed terminal ends grading as Ctrl-C does, with the results so far and a hint", "[slow]") {
  const ClassFixture fixture;
  const grader::TemporaryFolder temporary("hang-up");
  for (int i = 10; i < 18; ++i) {
    const std::string id = "s" + std::to_string(i);
    write(fixture.submissions() / id / "tiled_matmul.cu", text_of(solution()) + "// " + id + "\n");
  }
  const Ended ended = fixture.grade(
      {"--jobs", "1"}, {.environment = {{"TMPDIR", temporary.path().string()}},
                        .interrupt_when = fixture.out() / "results" / "s10" / "02-tiled-matmul.json",
                        .interrupt_with = SIGHUP});
  CHECK(ended.code == 130);
  CHECK_THAT(ended.err, contains("interrupted") && contains("--resume"));
  CHECK(nlohmann::json::parse(text_of(fixture.out() / "summary.json"))["interrupted"] == true);
  CHECK(fs::is_empty(temporary.path()));
}

}  // namespace process_test
