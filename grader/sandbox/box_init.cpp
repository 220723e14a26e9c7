// The first process of a box (its pid 1): runs the command, adopts its orphaned processes, reports how the
// command ended, and exits if the grader has died, which ends the whole box. It exists because bubblewrap
// turns signals into exit statuses, and because a limit on processes counts only the box's own processes if
// it is set inside the box's user namespace.
//
// Usage: box-init STATUS-DESCRIPTOR PROCESSES COMMAND [ARGUMENT…]; PROCESSES 0 = no limit.
#include "sandbox/box_init.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using grader::BoxReport;

int status_descriptor = -1;

void report(BoxReport::Kind kind, int value) {
  const BoxReport one{kind, value};
  if (::write(status_descriptor, &one, sizeof one) != sizeof one) ::_exit(1);  // the grader has died
}

/// RLIMIT_NPROC counts this process as well.
void limit_processes(rlim_t processes) {
  if (processes == 0) return;
  const rlimit limit{processes + 1, processes + 1};
  if (::setrlimit(RLIMIT_NPROC, &limit) != 0) ::_exit(1);
}

/// True, with the wait status, once the command has ended; adopted processes are only reaped.
bool has_ended(pid_t command, int& status) {
  for (;;) {
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended == command) return true;
    if (ended == 0) return false;
    if (ended < 0 && errno != EINTR) ::_exit(1);
  }
}

/// `children` is readable when a child ends; the status pipe reports POLLERR once it has no reader.
int wait_for(pid_t command, int children) {
  int status = 0;
  while (!has_ended(command, status)) {
    pollfd events[] = {{children, POLLIN, 0}, {status_descriptor, 0, 0}};
    ::poll(events, std::size(events), -1);
    if ((events[1].revents & POLLERR) != 0) {  // the grader has died
      ::kill(0, SIGKILL);                      // without isolation, nothing else ends the command
      ::_exit(1);
    }
    signalfd_siginfo ignored;
    if (events[0].revents != 0 && ::read(children, &ignored, sizeof ignored) < 0) ::_exit(1);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  status_descriptor = std::atoi(argv[1]);
  // The command runs as the same user: it must neither inherit the status pipe nor access it through ptrace
  // or /proc/1/fd.
  ::fcntl(status_descriptor, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_DUMPABLE, 0);
  limit_processes(std::strtoul(argv[2], nullptr, 10));

  // From here on, SIGCHLD is read from a descriptor; the command gets the original signal mask.
  sigset_t of_children, before;
  sigemptyset(&of_children);
  sigaddset(&of_children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &of_children, &before);
  const int children = ::signalfd(-1, &of_children, SFD_CLOEXEC);
  if (children < 0) return 1;

  report(BoxReport::Kind::started, 0);
  const pid_t command = ::fork();
  if (command == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execvp(argv[3], argv + 3);
    report(BoxReport::Kind::not_executed, errno);
    ::_exit(127);
  }
  if (command < 0) return report(BoxReport::Kind::not_executed, errno), 1;
  report(BoxReport::Kind::ended, wait_for(command, children));
  return 0;
}
