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

/// In the child: the terminal becomes its input and output.
void use_terminal(const char* name) {
  ::setsid();
  const int terminal = ::open(name, O_RDWR);
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, end);
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
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setenv("TERM", "xterm", 1);
    if (ends == Ends::terminal) {
      use_terminal(name.c_str());
    } else {
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(pipes[1], STDOUT_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    }
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  if (pipes[1] >= 0) ::close(pipes[1]);
}

TerminalProgram::~TerminalProgram() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(end_);
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
    std::array<char, 4096> bytes;
    const auto got = ::read(end_, bytes.data(), bytes.size());
    if (got <= 0) return output_.find(text, seen_) != std::string::npos;
    output_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void TerminalProgram::press(char key) const {
  if (::write(end_, &key, 1) != 1) throw std::runtime_error("cannot press a key");
}

void TerminalProgram::send(int signal) const { ::kill(pid_, signal); }

bool TerminalProgram::has_stopped() const {
  for (const auto limit = Clock::now() + kPatience; Clock::now() < limit;) {
    int status = 0;
    if (::waitpid(pid_, &status, WUNTRACED | WNOHANG) == pid_) return WIFSTOPPED(status);
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

int TerminalProgram::wait() {
  int status = 0;
  // The output must not fill the terminal's buffer meanwhile.
  for (const auto limit = Clock::now() + kPatience; Clock::now() < limit;) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    pollfd source{end_, POLLIN, 0};
    std::array<char, 4096> bytes;
    if (::poll(&source, 1, 20) > 0 && (source.revents & POLLIN) != 0)
      if (const auto got = ::read(end_, bytes.data(), bytes.size()); got > 0)
        output_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return -1;
}

bool TerminalProgram::is_terminal_usual() const {
  termios settings{};
  if (::tcgetattr(end_, &settings) != 0) throw std::runtime_error("no settings");
  return (settings.c_lflag & ICANON) != 0 && (settings.c_lflag & ECHO) != 0;
}

}  // namespace testing
