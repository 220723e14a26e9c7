#include "app/key_input.hpp"

#include <cerrno>
#include <csignal>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "app/interrupt.hpp"

namespace grader::app {
namespace {

// Used by signal handlers: tcsetattr, sigaction and raise are async-signal-safe, signal-safety(7).
termios settings_before{}, settings_of_keys{};
volatile std::sig_atomic_t is_set = 0;

/// Signals that end the program without its destructors. SIGINT, SIGTERM and SIGHUP are those of
/// interrupt.hpp.
constexpr int kFatal[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void restore() {
  if (is_set != 0) ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_before);
}

void act(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// The signal has its default effect: ends or stops the program.
void let_happen(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

extern "C" void on_fatal(int signal) {
  restore();
  let_happen(signal);
}

extern "C" void on_stop(int signal) {
  const int error = errno;
  restore();
  let_happen(signal);  // continues here after SIGCONT
  act(SIGTSTP, on_stop);
  if (is_set != 0) ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_of_keys);
  errno = error;
}

}  // namespace

KeyInput::KeyInput() {
  if (::isatty(STDIN_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &settings_before) != 0) return;
  settings_of_keys = settings_before;
  settings_of_keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ISIG stays: Ctrl-C is a signal
  settings_of_keys.c_cc[VMIN] = 1;
  settings_of_keys.c_cc[VTIME] = 0;
  is_set = 1;
  before_second_interrupt(restore);
  for (const int signal : kFatal) act(signal, on_fatal);
  act(SIGTSTP, on_stop);
  is_active_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_of_keys) == 0;
}

KeyInput::~KeyInput() {
  if (is_set == 0) return;
  restore();
  is_set = 0;
  before_second_interrupt(nullptr);
  for (const int signal : kFatal) act(signal, SIG_DFL);
  act(SIGTSTP, SIG_DFL);
}

std::optional<char> KeyInput::take() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (!is_active_ || ::poll(&input, 1, 0) <= 0) return std::nullopt;
  char key = kEnd;
  const auto got = ::read(STDIN_FILENO, &key, 1);
  if (got < 0 && errno == EINTR) return std::nullopt;
  return got == 1 ? key : kEnd;
}

void KeyInput::ignore_pending() const {
  if (is_active_) ::tcflush(STDIN_FILENO, TCIFLUSH);
}

}  // namespace grader::app
