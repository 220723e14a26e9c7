#include "app/interrupt.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>

namespace grader::app {
namespace {

// timeout(1) signals the program and then its process group, so that one request to stop arrives twice.
constexpr std::int64_t kSameRequest_ms = 500;

std::atomic<bool> stop{false};
std::atomic<bool> interrupted{false};
std::atomic<void (*)()> last_act{nullptr};
std::atomic<std::int64_t> first_signal_ms{0};  ///< monotonic clock; 0: no signal yet
// A signal handler may use only lock-free atomics.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<void (*)()>::is_always_lock_free);

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);  // async-signal-safe, signal-safety(7)
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1000000;
}

extern "C" void on_signal(int number) {
  const std::int64_t now = now_ms();
  std::int64_t first = 0;
  if (!first_signal_ms.compare_exchange_strong(first, now) && now - first > kSameRequest_ms) {
    if (auto* const act = last_act.load(); act != nullptr) act();
    std::signal(number, SIG_DFL);
    std::raise(number);  // delivered when this handler returns
  }
  interrupted = true;
  stop = true;
}

}  // namespace

std::atomic<bool>& stop_flag() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal was closed, unless nohup(1) makes the program ignore that.
  struct sigaction hang_up {};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
  return stop;
}

bool was_interrupted() { return interrupted; }
void before_second_interrupt(void (*act)()) { last_act = act; }

}  // namespace grader::app
