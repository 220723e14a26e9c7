// Each hostile program ends as expected, within its limits, and leaves no process or file.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "tests/runner/jobs.hpp"
#include "tests/runner/kit.hpp"

using namespace grader;
using namespace std::chrono_literals;
using End = CaseRun::End;
using testing::contains;

namespace {

bool is_running(const std::string& name) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::string comm;
    std::ifstream(process.path() / "comm") >> comm;
    if (comm == name) return true;
  }
  return false;
}

CaseRun run(const std::string& name, std::chrono::milliseconds wall = testing::kAmpleTime) {
  const Runner runner = testing::make_runner(testing::test_options(wall));
  const auto start = std::chrono::steady_clock::now();
  const Built built = testing::build(runner, testing::test_source("hostile/" + name + ".cu"));
  CaseRun result = runner.run(built, testing::small_product(), vgpu::lecture_profile());
  CHECK(std::chrono::steady_clock::now() - start < 60s);
  CHECK(result.fault.empty() == (result.end != End::channel_broken));
  return result;
}

}  // namespace

TEST_CASE("a fork bomb ends at a limit and leaves no process") {
  const CaseRun result = run("fork_bomb", testing::kShortTime);
  // Which limit is reached first depends on how much memory each child touches before the others do.
  CHECK((result.end == End::wall_limit || result.end == End::cpu_limit || result.end == End::memory_limit));
  CHECK_FALSE(is_running("wg-fork-bomb"));
}

TEST_CASE("a daemon that keeps the channel open neither delays the result nor outlives it") {
  CHECK(run("daemon").end == End::finished);
  CHECK_FALSE(is_running("wg-daemon"));
}

TEST_CASE("a memory hog ends at the memory limit") { CHECK(run("memory_hog").end == End::memory_limit); }

TEST_CASE("an output flood ends at the output limit") {
  const CaseRun result = run("output_flood");
  CHECK(result.end == End::output_limit);
  CHECK(result.printed.size() == testing::test_options().run_limits.output_bytes);
}

TEST_CASE("exiting with success in a static constructor does not pass") {
  const CaseRun result = run("exit_in_constructor");
  CHECK(result.end == End::exited);
  CHECK(result.code == 0);
}

TEST_CASE("a crash is reported with its signal") {
  const CaseRun pointer = run("crash"), exception = run("throw");
  CHECK(pointer.end == End::crashed);
  CHECK(pointer.code == SIGSEGV);
  CHECK(exception.end == End::crashed);
  CHECK(exception.code == SIGABRT);
}

TEST_CASE("a system call that is hidden in a constant ends the program, one of a library does not") {
  const CaseRun hidden = run("hidden_system_call"), honest = run("print_fake_result");
  CHECK(hidden.end == End::crashed);
  CHECK(hidden.code == SIGSYS);
  CHECK(honest.end == End::finished);
}

TEST_CASE("an endless loop ends at the wall-clock limit") {
  CHECK(run("endless_loop", testing::kShortTime).end == End::wall_limit);
}

TEST_CASE("a program that stops itself ends at the wall-clock limit") {
  CHECK(run("stop_itself", testing::kShortTime).end == End::wall_limit);
}

TEST_CASE("an endless wait ends at the wall-clock limit") {
  CHECK(run("wait_for_ever", testing::kShortTime).end == End::wall_limit);
}

TEST_CASE("a program that closes its descriptors leaves without an answer") {
  const CaseRun result = run("close_descriptors");
  CHECK(result.end == End::exited);
  CHECK(result.code != 0);
}

TEST_CASE("text on the channel breaks it") { CHECK(run("fake_text").end == End::channel_broken); }

TEST_CASE("an answer forged in place of the harness's breaks the channel") {
  CHECK(run("fake_answer").end == End::channel_broken);
}

TEST_CASE("a message of an impossible size breaks the channel") {
  CHECK(run("huge_message", testing::kShortTime).end == End::channel_broken);
}

TEST_CASE("invalid data on the device's socket breaks it, and the grader continues") {
  CHECK(run("fake_device_message").end == End::channel_broken);
}

TEST_CASE("signals to every process reach no process outside the box") {
  CHECK(run("kill_everyone").end == End::finished);
}

TEST_CASE("a program's output is kept as text and has no effect on the result") {
  const CaseRun result = run("print_fake_result");
  CHECK(result.end == End::finished);
  CHECK_THAT(result.printed, contains("\"score\": 100"));
  CHECK(result.answer.outputs.at(0).values.at(0) != 4.0F);
}

TEST_CASE("destructors and exit handlers of a submission do not run") {
  CHECK(run("crash_at_exit").end == End::finished);
}

TEST_CASE("a submission without the function ends as no_entry") {
  CHECK(run("no_entry").end == End::no_entry);
}
