#include "app/interrupt.hpp"

#include <csignal>

namespace grader::app {
namespace {

std::atomic<bool> stop{false};
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so that a signal handler may write it

extern "C" void on_signal(int) {
  interrupted = true;
  stop = true;
}

}  // namespace

std::atomic<bool>& stop_flag() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return stop;
}

bool was_interrupted() { return interrupted; }

}  // namespace grader::app
