// The first process of a box (its pid 1): runs the command, adopts what the command leaves behind, and
// reports how the command ended. Exists because bubblewrap folds signals into exit statuses, and because a
// limit on processes must be set inside the box's user namespace to count the box's own processes only.
//
// Usage: box-init STATUS-DESCRIPTOR PROCESSES COMMAND [ARGUMENT…]; PROCESSES 0 = no limit.
#include "sandbox/box_init.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using grader::BoxReport;

int status_descriptor = -1;

void report(BoxReport::Kind kind, int value) {
  const BoxReport one{kind, value};
  if (::write(status_descriptor, &one, sizeof one) != sizeof one) ::_exit(1);  // the grader is gone
}

/// rlim_t counts this process as well.
void limit_processes(rlim_t processes) {
  if (processes == 0) return;
  const rlimit limit{processes + 1, processes + 1};
  if (::setrlimit(RLIMIT_NPROC, &limit) != 0) ::_exit(1);
}

int wait_for(pid_t command) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == command) return status;
    if (ended < 0 && errno != EINTR) ::_exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  status_descriptor = std::atoi(argv[1]);
  // The command runs as the same user: it must neither inherit the status pipe nor reach it through ptrace or
  // /proc/1/fd.
  ::fcntl(status_descriptor, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_DUMPABLE, 0);
  limit_processes(std::strtoul(argv[2], nullptr, 10));

  report(BoxReport::Kind::started, 0);
  const pid_t command = ::fork();
  if (command == 0) {
    ::execvp(argv[3], argv + 3);
    report(BoxReport::Kind::not_executed, errno);
    ::_exit(127);
  }
  if (command < 0) return report(BoxReport::Kind::not_executed, errno), 1;
  report(BoxReport::Kind::ended, wait_for(command));
  return 0;
}
