// In a box, the kernel refuses the system calls that the filter names and permits those that programs need.
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "tests/sandbox/boxes.hpp"

using namespace grader;
using testing::run;

namespace {

/// Runs the probe from this program's folder with these arguments.
BoxJob probe(const std::vector<std::string>& calls, SystemCalls which = SystemCalls::ordinary) {
  BoxJob job;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  job.mounts = {{folder / "sandbox-probe", "/kit/probe"}};
  job.command = {"/kit/probe"};
  job.command.insert(job.command.end(), calls.begin(), calls.end());
  job.system_calls = which;
  return job;
}

std::vector<int> errors(const std::vector<std::string>& calls, SystemCalls which = SystemCalls::ordinary) {
  std::istringstream lines(run(probe(calls, which)).output);
  std::vector<int> all;
  for (int one = 0; lines >> one;) all.push_back(one);
  return all;
}

std::string number(const char* name, const std::string& arguments = "") {
  return fmt::format("{}{}{}", seccomp_syscall_resolve_name(name), arguments.empty() ? "" : ",", arguments);
}

}  // namespace

TEST_CASE("every call on the list is refused, for both kinds of program") {
  std::vector<std::string> calls;
  for (const std::string_view name : refused_system_calls())
    if (const int known = seccomp_syscall_resolve_name(name.data()); known != __NR_SCMP_ERROR)
      calls.push_back(std::to_string(known));
  REQUIRE(calls.size() > 50);
  for (const SystemCalls which : {SystemCalls::ordinary, SystemCalls::gpu})
    CHECK(errors(calls, which) == std::vector<int>(calls.size(), EPERM));
}

TEST_CASE("new namespaces are refused, threads and processes are not") {
  CHECK(errors({number("clone", std::to_string(CLONE_NEWUSER | SIGCHLD)), number("clone3")}) ==
        std::vector<int>{EPERM, ENOSYS});
  CHECK(run(testing::shell("(exit 3); echo $?")).output == "3\n");
}

TEST_CASE("no socket can be created, and a real GPU's driver can use local sockets") {
  const std::string local = number("socket", fmt::format("{},{}", AF_UNIX, SOCK_STREAM));
  for (const int family : {AF_UNIX, AF_INET, AF_NETLINK, AF_PACKET, AF_VSOCK})
    CHECK(errors({number("socket", fmt::format("{},{}", family, SOCK_STREAM))}) == std::vector{EPERM});
  CHECK(errors({local}, SystemCalls::gpu) == std::vector{0});
  CHECK(errors({number("socket", fmt::format("{},{}", AF_INET, SOCK_STREAM))}, SystemCalls::gpu) ==
        std::vector{EPERM});
}

TEST_CASE("file locks and terminal input are refused") {
  CHECK(errors({number("flock", "0,1"), number("fcntl", fmt::format("0,{}", F_SETLK)),
                number("ioctl", fmt::format("0,{}", TIOCSTI)),
                number("ioctl", fmt::format("0,{}", (1L << 32) + TIOCSTI))}) ==
        std::vector<int>{EPERM, EPERM, EPERM, EPERM});
}

TEST_CASE("the 32-bit interface ends the process") {
  const BoxResult result = run(probe({}));
  CHECK(result.end == BoxResult::End::signalled);
  CHECK((result.code == SIGSYS || result.code == SIGSEGV));  // SIGSEGV: a kernel without this interface
}

TEST_CASE("the sandbox's description names the filter") {
  CHECK_THAT(testing::sandbox().kind().name, testing::contains("seccomp"));
}
