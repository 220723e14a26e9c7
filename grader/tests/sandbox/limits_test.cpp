// For each limit of a box, a command that must reach it; no process of any command may remain.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/box.hpp"
#include "tests/sandbox/boxes.hpp"

using namespace grader;
using namespace std::chrono_literals;
using testing::contains;
using testing::run;
using testing::shell;
using End = BoxResult::End;

namespace {

/// True if a process on this machine has `mark` in its command line.
bool is_running(const std::string& mark) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(process.path() / "cmdline");
    const std::string arguments(std::istreambuf_iterator<char>(in), {});
    if (arguments.find(mark) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("wall-clock time is limited, also for programs that sleep, stop or ignore signals") {
  for (const char* script :
       {"sleep 100", "kill -STOP $$", "trap '' TERM INT HUP ALRM; while :; do sleep 1; done"}) {
    BoxJob job = shell(script);
    job.limits.wall = 150ms;
    CHECK(run(job).end == End::wall_limit);
  }
}

TEST_CASE("time in which the grader works for a program does not count, up to a limit") {
  const auto run_for = [](const char* seconds, std::chrono::nanoseconds excused) {
    BoxJob job = shell("sleep " + std::string(seconds));
    job.limits.wall = 150ms;
    job.excused_time = [excused] { return excused; };
    return run(job);
  };
  CHECK(run_for("0.4", 10s).end == End::exited);
  CHECK(run_for("100", 100ms).end == End::wall_limit);
  const BoxResult endless = run_for("100", 1h);
  CHECK(endless.end == End::wall_limit);
  CHECK(endless.wall >= kMostPatience * 150ms);
}

TEST_CASE("CPU time is limited, also for programs that ignore SIGXCPU [slow]", "[slow]") {
  for (const char* script : {"while :; do :; done", "trap '' XCPU; while :; do :; done"}) {
    BoxJob job = shell(script);
    job.limits.cpu = 1s;
    job.limits.wall = 60s;  // a second of CPU time takes longer on a busy machine
    CHECK(run(job).end == End::cpu_limit);
  }
}

TEST_CASE("a program that kills itself does not count as a CPU limit") {
  CHECK(run(shell("kill -XCPU $$")).end == End::signalled);
}

TEST_CASE("memory is limited") {
  BoxJob job = shell("cat /dev/zero | tail -c 1000000000 > /dev/null");
  job.limits.memory_bytes = 64 << 20U;
  CHECK(run(job).end == End::memory_limit);
  job.limits.memory_bytes = std::uint64_t{1} << 30U;
  job.command.back() = "head -c 10000000 /dev/zero | tail -c 10000000 > /dev/null";
  CHECK(run(job).end == End::exited);
}

TEST_CASE(
    "with a cgroup, the memory of all processes is limited, and the limit is reported if the command "
    "continues") {
  if (testing::sandbox().kind().name.find("cgroup") == std::string::npos) return;
  BoxJob job = shell(
      "for i in 1 2 3 4; do head -c 30000000 /dev/zero | tail -c 30000000 | (sleep 0.3; cat > /dev/null) & "
      "done; wait; exit 0");
  job.limits.memory_bytes = 64 << 20U;
  CHECK(run(job).end == End::memory_limit);
}

TEST_CASE("files in /tmp count as memory and have a size of their own") {
  BoxJob job = shell("head -c 20000000 /dev/zero > /tmp/a || head -c 20000000 /dev/zero > /dev/shm/a");
  job.limits.scratch_bytes = 10 << 20U;
  const BoxResult result = run(job);
  CHECK(result.code != 0);
  CHECK_THAT(result.output, contains("No space left on device"));
}

TEST_CASE("the largest file is limited") {
  BoxJob job = shell("trap '' XFSZ; head -c 5000000 /dev/zero > /tmp/a; wc -c < /tmp/a");
  job.limits.file_bytes = 1 << 20U;
  CHECK_THAT(run(job).output, contains("1048576\n"));
}

TEST_CASE("processes are limited: a fork bomb is bounded and dies with its box") {
  BoxJob job = shell(
      "exec -a fork-bomb-mark bash -c 'f() { f | f & }; f; for i in 1 2 3; do sleep 0.1; ls -d "
      "/proc/[0-9]* | wc -l; done'");
  job.limits.wall = 3000ms;
  job.limits.processes = 20;
  const BoxResult result = run(job);
  CHECK_THAT(result.output, contains("fork: retry: Resource temporarily unavailable"));
  CHECK_FALSE(is_running("fork-bomb-mark"));
}

TEST_CASE("the limit on processes applies to each box separately") {
  std::vector<BoxResult> results(4);
  testing::in_parallel(results.size(), [&](std::size_t i) {
    BoxJob job = shell("for i in 1 2 3 4 5 6 7 8; do sleep 0.3 & done; wait");
    job.limits.processes = 10;
    results[i] = run(job);
  });
  for (const BoxResult& one : results) CHECK(one.output.empty());
}

TEST_CASE("output is limited and the flood is cut at the limit") {
  BoxJob job = shell("yes");
  job.limits.output_bytes = 100'000;
  const BoxResult result = run(job);
  CHECK(result.end == End::output_limit);
  CHECK(result.output.size() == 100'000);
  job.command.back() = "head -c 100000 /dev/zero";
  CHECK(run(job).end == End::exited);
}

TEST_CASE("a command that prints too much and ends immediately reaches the output limit") {
  BoxJob job = shell("head -c 50000 /dev/zero");
  job.limits.output_bytes = 40'000;
  CHECK(run(job).end == End::output_limit);
}

TEST_CASE("daemons end with their box") {
  const BoxResult result = run(
      shell("setsid bash -c 'exec -a daemon-mark sleep 100' >/dev/null 2>&1 </dev/null & sleep 0.1; exit 0"));
  CHECK(result.end == End::exited);
  CHECK(result.wall < 5s);
  CHECK_FALSE(is_running("daemon-mark"));
}

TEST_CASE("the stop flag ends a box promptly") {
  std::atomic<bool> stop{false};
  std::thread later([&] {
    std::this_thread::sleep_for(100ms);
    stop = true;
  });
  BoxJob job = shell("sleep 100");
  job.stop = &stop;
  const BoxResult result = run(job);
  later.join();
  CHECK(result.end == End::stopped);
  CHECK(result.wall < 5s);
}

TEST_CASE("a box ends with the grader, whenever the grader is killed") {
  // Orphaned processes become children of this process.
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  const Sandbox& isolated = testing::sandbox();
  const Sandbox open = Sandbox::without_isolation();
  for (int i = 0; i < 60; ++i) {
    const pid_t grader = ::fork();
    if (grader == 0) {
      (void)(i % 4 == 0 ? open : isolated).run(shell("trap '' TERM HUP; sleep 100 & sleep 100"));
      ::_exit(0);
    }
    // bubblewrap sets up the box within the first milliseconds; then the command runs.
    ::usleep(static_cast<useconds_t>(i * 700));
    ::kill(grader, SIGKILL);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::waitpid(-1, nullptr, WNOHANG) >= 0 && std::chrono::steady_clock::now() < deadline)
      ::usleep(1000);
    INFO("killed after " << i * 0.7 << " ms");
    REQUIRE((::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD));
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_CASE("closing every descriptor does not end the watch on a command") {
  BoxJob job = shell("for fd in 0 1 2; do eval \"exec $fd>&-\"; done; sleep 100");
  job.limits.wall = 150ms;
  CHECK(run(job).end == End::wall_limit);
}
