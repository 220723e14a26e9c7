#include "e2e/terminal_program.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = 60s;

/// In a child: the terminal becomes the session's, and the child's input and output.
void use_terminal(const char* name) {
  const int terminal = ::open(name, O_RDWR);
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, end);
}

/// In a child: takes the part of a shell, without which SIGTSTP would stop nothing. Reports the program's
/// process and every change of its state.
[[noreturn]] void supervise(char* const* words, int reports) {
  std::signal(SIGTTOU, SIG_IGN);
  const pid_t program = ::fork();
  if (program == 0) {
    ::setpgid(0, 0);
    ::tcsetpgrp(STDIN_FILENO, ::getpid());
    std::signal(SIGTTOU, SIG_DFL);
    ::execv(words[0], words);
    ::_exit(127);
  }
  ::setpgid(program, program);
  const auto report = [&](int number) { return ::write(reports, &number, sizeof number) == sizeof number; };
  bool goes = report(program);
  for (int status = 0; goes && ::waitpid(program, &status, WUNTRACED) == program;)
    goes = report(status) && WIFSTOPPED(status);
  ::_exit(0);
}

}  // namespace

TerminalProgram::TerminalProgram(const std::vector<std::string>& arguments, Ends ends) {
  std::vector<std::string> words = {std::string(WARPGRADE_BINARY_DIR) + "/bin/warpgrade"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int pipes[2] = {-1, -1};
  std::string name;
  if (ends == Ends::terminal) {
    end_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (end_ < 0 || ::grantpt(end_) != 0 || ::unlockpt(end_) != 0) throw std::runtime_error("no terminal");
    name = ::ptsname(end_);
    const winsize size{50, 100, 0, 0};
    ::ioctl(end_, TIOCSWINSZ, &size);
  } else {
    if (::pipe2(pipes, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    end_ = pipes[0];
  }
  int reports[2];
  if (::pipe2(reports, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  reports_ = reports[0];
  supervisor_ = ::fork();
  if (supervisor_ == 0) {
    ::setenv("TERM", "xterm", 1);
    ::setsid();
    if (ends == Ends::terminal) {
      use_terminal(name.c_str());
    } else {
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(pipes[1], STDOUT_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    }
    supervise(pointers.data(), reports[1]);
  }
  ::close(reports[1]);
  if (pipes[1] >= 0) ::close(pipes[1]);
  program_ = next_report().value();
}

TerminalProgram::~TerminalProgram() {
  if (!has_ended_) ::kill(program_, SIGKILL);
  ::close(reports_);
  ::waitpid(supervisor_, nullptr, 0);
  ::close(end_);
}

/// Reads the program's output meanwhile, because it must not fill the terminal's buffer.
std::optional<int> TerminalProgram::next_report() {
  for (const auto limit = Clock::now() + kPatience; Clock::now() < limit;) {
    pollfd sources[] = {{reports_, POLLIN, 0}, {end_, POLLIN, 0}};
    ::poll(sources, 2, 200);
    if ((sources[1].revents & POLLIN) != 0) read_output();
    int number = 0;
    if (sources[0].revents != 0)
      return ::read(reports_, &number, sizeof number) == sizeof number ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

bool TerminalProgram::read_output() {
  std::array<char, 4096> bytes;
  const auto got = ::read(end_, bytes.data(), bytes.size());
  if (got > 0) output_.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

bool TerminalProgram::waits_for(const std::string& text) {
  const auto limit = Clock::now() + kPatience;
  while (true) {
    if (const std::size_t at = output_.find(text, seen_); at != std::string::npos) {
      seen_ = at + text.size();
      return true;
    }
    pollfd source{end_, POLLIN, 0};
    if (Clock::now() > limit) return false;
    if (::poll(&source, 1, 200) <= 0) continue;
    if (!read_output()) return false;
  }
}

void TerminalProgram::press(char key) const {
  if (::write(end_, &key, 1) != 1) throw std::runtime_error("cannot press a key");
}

void TerminalProgram::send(int signal) const { ::kill(program_, signal); }

bool TerminalProgram::has_stopped() {
  const auto status = next_report();
  return status && WIFSTOPPED(*status);
}

int TerminalProgram::wait() {
  const auto status = next_report();
  if (!status || WIFSTOPPED(*status)) return -1;
  has_ended_ = true;
  return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
}

bool TerminalProgram::is_terminal_usual() const {
  termios settings{};
  if (::tcgetattr(end_, &settings) != 0) throw std::runtime_error("no settings");
  return (settings.c_lflag & ICANON) != 0 && (settings.c_lflag & ECHO) != 0;
}

}  // namespace testing
