#include "vgpu/cudart/client/streams/host_functions.hpp"

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace vgpu::cudart::client {
namespace {

struct Place {
  std::uint64_t number = 0;
  std::uint32_t stream = 0;
};

struct Standing {
  Place place;
  std::function<void()> function;
};

struct HostFunctions {
  std::uint64_t device = 0;      ///< of the streams; see Runtime::device_number()
  std::deque<Standing> waiting;  ///< in the order in which they were added
  std::uint64_t last = 0;
  std::vector<Place> running;
  pid_t thread = 0;  ///< that added the latest one
  std::condition_variable_any has_changed;
};

HostFunctions& host_functions() {
  static HostFunctions& all = *new HostFunctions;  // never destroyed, see Runtime::instance()
  const std::uint64_t device = Runtime::instance().device_number();
  if (std::exchange(all.device, device) != device) all.waiting.clear();  // a reset destroys streams
  return all;
}

/// Runs the first waiting function for which needs_run(place) is true, after those before it in its stream,
/// which are before it in the list. False if there is none.
template <class NeedsRun>
bool run_first(Runtime& runtime, NeedsRun needs_run) {
  HostFunctions& all = host_functions();
  const auto found = std::find_if(all.waiting.begin(), all.waiting.end(),
                                  [&](const Standing& one) { return needs_run(one.place); });
  if (found == all.waiting.end()) return false;
  const Standing one = std::move(*found);
  all.waiting.erase(found);
  all.running.push_back(one.place);
  if (runtime.ask(Mark{MarkKind::host_function_runs, one.place.stream}))
    runtime.call_host_function(one.function);
  std::erase_if(all.running, [&](const Place& place) { return place.number == one.place.number; });
  all.has_changed.notify_all();
  return true;
}

template <class NeedsRun>
void run_where(Runtime& runtime, NeedsRun needs_run) {
  while (run_first(runtime, needs_run)) {
  }
  // Another thread can be running one of them.
  HostFunctions& all = host_functions();
  all.has_changed.wait(runtime.mutex(),
                       [&] { return std::none_of(all.running.begin(), all.running.end(), needs_run); });
}

std::int64_t cpu_ns_of_process() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

/// Whether the kernel says that the thread sleeps ("S", proc(5)).
bool is_asleep(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end, 4) == ") S ";
}

/// Whether the program has called CUDA for the last time before it waits in a way of its own: it computes
/// without a call, as when it polls a flag, or its thread sleeps.
class Idleness {
 public:
  bool is_idle(const Runtime& runtime, pid_t thread) {
    constexpr std::int64_t kComputes_ns = 2'000'000;
    constexpr int kSleeps = 4;  // in a row
    if (std::exchange(calls_, runtime.calls()) != runtime.calls()) {
      cpu_ns_ = cpu_ns_of_process();
      sleeps_ = 0;
      return false;
    }
    sleeps_ = is_asleep(thread) ? sleeps_ + 1 : 0;
    return sleeps_ >= kSleeps || cpu_ns_of_process() - cpu_ns_ >= kComputes_ns;
  }

 private:
  std::uint64_t calls_ = 0;
  std::int64_t cpu_ns_ = 0;
  int sleeps_ = 0;
};

/// A thread's work: runs functions for which the program waits without a call.
void run_when_idle() {
  constexpr std::chrono::microseconds kPause{500};
  Runtime& runtime = Runtime::instance();
  std::unique_lock lock(runtime.mutex());
  HostFunctions& all = host_functions();
  Idleness idleness;
  while (true) {
    all.has_changed.wait(lock, [&] { return !all.waiting.empty(); });
    lock.unlock();
    std::this_thread::sleep_for(kPause);
    lock.lock();
    if (idleness.is_idle(runtime, all.thread))
      runtime.between_calls([&] { run_first(runtime, [](const Place&) { return true; }); });
  }
}

}  // namespace

Outcome add_host_function(Runtime& runtime, std::uint32_t stream, std::function<void()> function) {
  Outcome outcome = outcome_of(runtime.ask(Mark{MarkKind::host_function, stream}));
  if (outcome.error != cudaSuccess) return outcome;
  HostFunctions& all = host_functions();
  const bool is_first = all.last == 0;
  all.waiting.push_back({{++all.last, stream}, std::move(function)});
  all.thread = static_cast<pid_t>(::syscall(SYS_gettid));
  if (is_first) std::thread(run_when_idle).detach();
  all.has_changed.notify_all();
  return {};
}

std::uint64_t last_host_function() { return host_functions().last; }

void run_host_functions(Runtime& runtime) {
  run_where(runtime, [](const Place&) { return true; });
}

void run_host_functions_of(Runtime& runtime, std::uint32_t stream) {
  constexpr std::uint32_t kLegacy = 0;
  run_where(runtime, [stream](const Place& one) {
    return one.stream == stream || one.stream == kLegacy || stream == kLegacy;
  });
}

void run_host_functions_before(Runtime& runtime, std::uint32_t stream, std::uint64_t number) {
  run_where(runtime, [=](const Place& one) { return one.stream == stream && one.number <= number; });
}

}  // namespace vgpu::cudart::client
