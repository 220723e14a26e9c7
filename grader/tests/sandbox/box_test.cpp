// The boxed command's environment, its user, and what it cannot access. Limits: limits_test.cpp.
#include "sandbox/box.hpp"

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"
#include "catch.hpp"
#include "tests/sandbox/boxes.hpp"

using namespace grader;
using testing::contains;
using testing::run;
using testing::shell;
using End = BoxResult::End;

TEST_CASE("a box reports exit status and output of its command") {
  const BoxResult result = run(shell("echo out; echo err >&2; exit 7"));
  CHECK(result.end == End::exited);
  CHECK(result.code == 7);
  CHECK(result.output == "out\nerr\n");
}

TEST_CASE("a box distinguishes a signal from the exit status that a shell would derive from it") {
  const BoxResult killed = run(shell("kill -SEGV $$"));
  CHECK(killed.end == End::signalled);
  CHECK(killed.code == SIGSEGV);
  const BoxResult exited = run(shell("exit 139"));
  CHECK(exited.end == End::exited);
  CHECK(exited.code == 139);
}

TEST_CASE("output is returned byte for byte") {
  CHECK(run(shell("printf '\\000\\377\\033[31m'")).output == std::string("\0\xff\x1b[31m", 7));
}

TEST_CASE("a box is not root and has no privileges") {
  const std::string output =
      run(shell("id -u; id -g; grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status")).output;
  CHECK_THAT(output, contains("65534\n65534\n"));
  CHECK_THAT(output, contains("CapEff:\t0000000000000000"));
  CHECK_THAT(output, contains("CapBnd:\t0000000000000000"));
  CHECK_THAT(output, contains("NoNewPrivs:\t1"));
}

TEST_CASE("the processes of a box are not root on the host either") {
  if (::geteuid() != 0) return;
  const TemporaryFolder folder("warpgrade-test");
  BoxJob job = shell("touch /out/mine");
  job.mounts = {{folder.path(), "/out", BoxMount::Access::read_write}};
  REQUIRE(run(job).code == 0);
  struct stat facts {};
  REQUIRE(::stat((folder.path() / "mine").c_str(), &facts) == 0);
  CHECK(facts.st_uid == 65534);
}

TEST_CASE("the environment contains only what the job grants") {
  ::setenv("WARPGRADE_TEST_SECRET", "secret", 1);
  BoxJob job{.command = {"/usr/bin/env"}, .environment = {{"GRANTED", "yes = no"}}};
  CHECK(run(job).output == "GRANTED=yes = no\nPWD=/tmp\n");
}

TEST_CASE("only granted descriptors are open inside") {
  const TemporaryFolder folder("warpgrade-test");
  const int leaked = ::open((folder.path() / "secret").c_str(), O_RDWR | O_CREAT, 0600);  // without O_CLOEXEC
  ::fcntl(leaked, F_DUPFD, 9);
  CHECK(run(shell("for fd in /proc/self/fd/*; do echo ${fd##*/}; done | sort -n | tr '\\n' ' '")).output ==
        "0 1 2 3 ");  // 3 is the folder that the shell reads

  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  BoxJob job = shell("echo granted >&5");
  job.descriptors = {{ends[1], 5}};
  CHECK(run(job).code == 0);
  char text[16] = {};
  CHECK(::read(ends[0], text, sizeof text) == 8);
  CHECK(std::string(text) == "granted\n");
}

TEST_CASE("granted descriptors can swap numbers with ours") {
  int first[2], second[2];
  REQUIRE(::pipe2(first, O_CLOEXEC) == 0);
  REQUIRE(::pipe2(second, O_CLOEXEC) == 0);
  BoxJob job = shell("echo 1 >&" + std::to_string(second[1]) + "; echo 2 >&" + std::to_string(first[1]));
  job.descriptors = {{first[1], second[1]}, {second[1], first[1]}};
  REQUIRE(run(job).code == 0);
  char one = 0, two = 0;
  CHECK(::read(first[0], &one, 1) == 1);
  CHECK(::read(second[0], &two, 1) == 1);
  CHECK(one == '1');
  CHECK(two == '2');
}

TEST_CASE("standard input is empty") {
  CHECK(run(shell("wc -c; readlink /proc/self/fd/0")).output == "0\n/dev/null\n");
}

TEST_CASE("there is no network") {
  CHECK(run(shell("echo > /dev/tcp/127.0.0.1/22")).code != 0);
  CHECK(run(shell("ls /sys/class/net 2>/dev/null; grep -c : /proc/net/dev")).output == "1\n");  // lo
}

TEST_CASE("the system is read-only and the rest of the host is not visible") {
  CHECK(run(shell("touch /usr/x || touch /x || touch /etc/x || touch /dev/x || touch /run/x")).code != 0);
  CHECK(run(shell("ls -d /root /home /var /etc/passwd /sys 2>/dev/null")).output.empty());
}

TEST_CASE("/tmp is private and new in every box") {
  CHECK(run(shell("ls -A /tmp /dev/shm; echo kept > /tmp/state; echo kept > /dev/shm/state")).output ==
        "/dev/shm:\n\n/tmp:\n");
  CHECK(run(shell("cat /tmp/state /dev/shm/state")).code != 0);
}

TEST_CASE("other processes are not visible, and the first one cannot be accessed") {
  const BoxResult result =
      run(shell("ls -d /proc/[0-9]* | wc -l; kill -9 1; kill -STOP 1; ls /proc/1/fd; echo alive"));
  CHECK_THAT(result.output, contains("alive"));
  CHECK_THAT(result.output, contains("Permission denied"));
  CHECK(result.end == End::exited);
}

TEST_CASE("a box cannot create further user namespaces") { CHECK(run(shell("unshare -Ur id")).code != 0); }

TEST_CASE("mounts are read-only or writable as requested, also below folders that others cannot enter") {
  const TemporaryFolder folder("warpgrade-test");  // mode 0700
  for (const char* name : {"in", "out"}) {
    std::filesystem::create_directory(folder.path() / name);
    ::chmod((folder.path() / name).c_str(), 0755);
  }
  std::ofstream(folder.path() / "in" / "data") << "42\n";
  BoxJob job = shell("cat /in/data; echo made > /out/made; echo x > /in/x || echo refused");
  job.mounts = {{folder.path() / "in", "/in"}, {folder.path() / "out", "/out", BoxMount::Access::read_write}};
  const BoxResult result = run(job);
  CHECK_THAT(result.output, contains("42\n"));
  CHECK_THAT(result.output, contains("refused\n"));
  CHECK(read_file(folder.path() / "out" / "made", 100).value() == "made\n");
}

TEST_CASE("addresses are the same in every run") {
  constexpr unsigned long kQuery = 0xFFFFFFFF;
  const auto before = static_cast<unsigned long>(::personality(kQuery));
  const bool is_allowed = ::personality(before | ADDR_NO_RANDOMIZE) >= 0;
  ::personality(before);
  if (!is_allowed) {
    WARN("this container does not allow fixed addresses: not tested here");
    return;
  }
  const auto addresses = [] { return run(shell("cat /proc/self/maps")).output; };
  const std::string once = addresses();
  CHECK_THAT(once, contains("[stack]"));
  CHECK(addresses() == once);
}

TEST_CASE("signals that we ignore are not ignored inside") {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  CHECK(run(shell("kill -PIPE $$")).end == End::signalled);
  ::signal(SIGPIPE, before);
}

TEST_CASE("a missing command or mount is reported as the grader's fault") {
  const auto missing = testing::sandbox().run({.command = {"/no/such/program"}});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == "WG-S03");
  CHECK_THAT(missing.error().what, contains("/no/such/program: No such file or directory"));
  const auto mount =
      testing::sandbox().run({.command = {"/bin/true"}, .mounts = {{"/no/such/folder", "/in"}}});
  REQUIRE_FALSE(mount);
  CHECK_THAT(mount.error().what, contains("/no/such/folder"));
}

TEST_CASE("many threads can run boxes at the same time") {
  std::vector<BoxResult> results(8);
  testing::in_parallel(results.size(),
                       [&](std::size_t i) { results[i] = run(shell("exit " + std::to_string(i))); });
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i].code == static_cast<int>(i));
}

TEST_CASE("without isolation the command can access the host, with the same reports and limits") {
  const Sandbox open = Sandbox::without_isolation();
  CHECK_FALSE(open.kind().isolated);
  const auto result = open.run(shell("cd /; ls -d /etc/passwd; env; exit 3"));
  REQUIRE(result);
  CHECK(result->code == 3);
  CHECK_THAT(result->output, contains("/etc/passwd"));
  CHECK_THAT(result->output, !contains("HOME="));
  BoxJob endless = shell("sleep 100 & sleep 100");
  endless.limits.wall = std::chrono::milliseconds(100);
  CHECK(open.run(endless)->end == End::wall_limit);
}
