#include "sandbox/launch.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "sandbox/box_init.hpp"

namespace grader {
namespace {

/// The plan in the form that system calls take. The child of vfork shares this process's memory and can be
/// the child of any thread, so it must neither allocate nor lock: everything is prepared before vfork.
struct Prepared {
  std::vector<char*> command, environment;
  // Copies of the granted descriptors, with numbers above every target.
  std::vector<Descriptor> sources;
  Descriptor report, cgroup;
  std::vector<std::pair<int, rlimit>> limits;
};

/// Targets are below this number, copies of sources above, so that no dup2() overwrites a source still
/// needed.
constexpr int kFirstSource = 256;

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& one : strings) result.push_back(const_cast<char*>(one.c_str()));
  result.push_back(nullptr);
  return result;
}

Descriptor copy_above_targets(int ours) { return Descriptor(::fcntl(ours, F_DUPFD_CLOEXEC, kFirstSource)); }

bool prepare(const LaunchPlan& plan, Prepared& prepared) {
  prepared.command = pointers(plan.command);
  prepared.environment = pointers(plan.environment);
  for (const auto& [ours, target] : plan.descriptors) {
    prepared.sources.push_back(copy_above_targets(ours));
    if (!prepared.sources.back()) return false;
    if (target >= kFirstSource) return errno = EINVAL, false;
  }
  prepared.report = copy_above_targets(plan.report_descriptor);
  if (!prepared.report) return false;
  if (plan.cgroup_descriptor >= 0 && !(prepared.cgroup = copy_above_targets(plan.cgroup_descriptor)))
    return false;
  for (const auto& [resource, value] : plan.limits) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return false;
    // The soft limit equals the hard limit, except for CPU time: SIGXCPU first, and SIGKILL one second later
    // for processes that ignore it.
    const rlim_t hard = std::min(now.rlim_max, resource == RLIMIT_CPU ? value + 1 : value);
    prepared.limits.push_back({resource, rlimit{std::min(value, hard), hard}});
  }
  return true;
}

/// Raw system calls: glibc's setuid() changes the user of every thread, and after vfork these are the
/// parent's.
bool become_box_user() {
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
         ::syscall(SYS_setresgid, kBoxUser, kBoxUser, kBoxUser) == 0 &&
         ::syscall(SYS_setresuid, kBoxUser, kBoxUser, kBoxUser) == 0;
}

bool stage(const std::vector<StagedMount>& mounts) {
  // MS_SLAVE: the mounts below do not propagate to the rest of the system (mount_namespaces(7)).
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return false;
  if (::mount("tmpfs", kStagingFolder, "tmpfs", 0, "mode=0755") != 0) return false;
  for (const StagedMount& one : mounts) {
    const char* target = one.staged.c_str();
    const bool made = one.is_folder
                          ? ::mkdir(target, 0755) == 0
                          : Descriptor(::open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)).get() >= 0;
    if (!made || ::mount(one.outside.c_str(), target, nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
  }
  return true;
}

void reset_signals() {
  // execve(2) keeps ignored signals ignored, and keeps the signal mask.
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool take_descriptors(const LaunchPlan& plan, const Prepared& prepared) {
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;
  for (std::size_t i = 0; i < plan.descriptors.size(); ++i)
    // The copy does not have the close-on-exec flag (dup(2)).
    if (::dup2(prepared.sources[i].get(), plan.descriptors[i].second) < 0) return false;
  return true;
}

/// The same addresses in every run: what a program does by mistake with an address, or sends to the device in
/// a structure, is then the same as well. Where a container forbids it, addresses stay random.
void fix_addresses() { ::personality(ADDR_NO_RANDOMIZE); }

bool become(const LaunchPlan& plan, const Prepared& prepared) {
  fix_addresses();
  if (!take_descriptors(plan, prepared)) return false;
  // A 0 in cgroup.procs means the writing process (cgroups(7)).
  if (prepared.cgroup && ::write(prepared.cgroup.get(), "0", 1) != 1) return false;
  for (const auto& [resource, limit] : prepared.limits)
    if (::setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return false;
  if (plan.become_box_user && !(stage(plan.staged) && become_box_user())) return false;
  if (plan.own_process_group && ::setpgid(0, 0) != 0) return false;
  if (!plan.working_folder.empty() && ::chdir(plan.working_folder.c_str()) != 0) return false;
  return true;
}

/// Runs in the child, in the parent's memory: system calls only.
[[noreturn]] void run_child(const LaunchPlan& plan, const Prepared& prepared) {
  if (become(plan, prepared)) {
    reset_signals();
    ::execve(prepared.command[0], prepared.command.data(), prepared.environment.data());
  }
  const BoxReport failure{BoxReport::Kind::not_launched, errno};
  if (::write(prepared.report.get(), &failure, sizeof failure) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

pid_t launch(const LaunchPlan& plan) {
  Prepared prepared;
  if (!prepare(plan, prepared)) return -1;
  // No signal handler may run in the child while it shares the parent's memory.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  // vfork, because the cost of fork grows with the grader's memory.
  const pid_t child = ::vfork();
  if (child == 0) run_child(plan, prepared);
  const int reason = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return child;
}

}  // namespace grader
