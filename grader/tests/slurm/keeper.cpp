// Runs programs for a test and ensures that none of their processes survives the test, however it ends. Each
// line of standard input is a program to start and its arguments, separated by tabs. At the end of input,
// also after the test was killed, all processes started by these programs are killed. As a subreaper, this
// process becomes the parent of orphans and daemons.
#include <cerrno>
#include <csignal>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "slurm/processes.hpp"

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream parts(line);
  for (std::string word; std::getline(parts, word, '\t');) words.push_back(word);
  return words;
}

void start(std::vector<std::string> words) {
  if (words.empty() || ::fork() != 0) return;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  ::execvp(arguments.front(), arguments.data());
  ::_exit(127);
}

std::vector<pid_t> descendants() {
  std::vector<pid_t> found = testing::tree_of(::getpid());
  found.erase(found.begin());
  return found;
}

void reap() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace

int main() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::signal(SIGCHLD, [](int) {
    const int saved = errno;
    reap();
    errno = saved;
  });
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_IGN);  // the test handles these signals
  for (std::string line; std::getline(std::cin, line);) start(words_of(line));
  for (std::vector<pid_t> left = descendants(); !left.empty(); left = descendants()) {
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    ::usleep(20'000);
    reap();
  }
}
