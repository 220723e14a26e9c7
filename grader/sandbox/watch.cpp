#include "sandbox/watch.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace grader {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStopInterval{50};  ///< how often the stop flag is checked

Descriptor open_process(pid_t pid) { return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

/// The pid in {"child-pid": 1234}; 0 if it is not (yet) complete.
pid_t child_pid(std::string_view json) {
  constexpr std::string_view kKey = "\"child-pid\": ";
  const auto at = json.find(kKey);
  if (at == std::string_view::npos || json.find_first_of(",\n}", at) == std::string_view::npos) return 0;
  pid_t pid = 0;
  std::from_chars(json.data() + at + kKey.size(), json.data() + json.size(), pid);
  return pid;
}

class Watch {
 public:
  Watch(WatchedBox box, const WatchLimits& limits)
      : box_(std::move(box)), limits_(limits), child_(open_process(box_.pid)) {
    for (const Descriptor* one : {&box_.output, &box_.reports})
      if (*one) ::fcntl(one->get(), F_SETFL, O_NONBLOCK);
  }

  Watched run() {
    deadline_ = start_ + limits_.wall;
    while (!child_ended()) {
      if (result_.killed != Watched::Killed::no && Clock::now() > killed_at_ + kReapingTime) {
        result_.gone = false;
        ::syscall(SYS_pidfd_send_signal, child_.get(), SIGKILL, nullptr,
                  0);  // at least this process's own child
        return finish();
      }
      if (limits_.stop != nullptr && *limits_.stop) kill(Watched::Killed::stopped);
      if (is_late()) kill(Watched::Killed::wall_limit);
    }
    reap();
    return finish();
  }

 private:
  /// Waits for data or the child's end, or until the time limit and the stop flag must be checked.
  bool child_ended() {
    pollfd descriptors[] = {{child_.get(), POLLIN, 0}, {box_.output.get(), POLLIN, 0}};
    ::poll(descriptors, std::size(descriptors), static_cast<int>(sleep_time().count()));
    if (descriptors[1].revents != 0) read_output();
    if (result_.killed != Watched::Killed::no) send_kill();
    return descriptors[0].revents != 0;
  }

  /// Excused time moves the deadline.
  bool is_late() {
    if (Clock::now() < deadline_) return false;
    if (limits_.excused_time)
      deadline_ = start_ + std::min<Clock::duration>(limits_.wall + limits_.excused_time(), limits_.longest);
    return Clock::now() >= deadline_;
  }

  milliseconds sleep_time() const {
    if (result_.killed != Watched::Killed::no) return kStopInterval;
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
    const milliseconds longest = limits_.stop != nullptr ? kStopInterval : milliseconds(60'000);
    return std::clamp(left, milliseconds(0), longest);
  }

  /// Reads the available bytes, but never more than the limit plus one byte.
  void read_output() {
    char buffer[64 * 1024];
    while (box_.output) {
      const std::size_t room = std::min(sizeof buffer, limits_.output_bytes + 1 - result_.output.size());
      const ssize_t got = ::read(box_.output.get(), buffer, room);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return box_.output.reset();
      result_.output.append(buffer, static_cast<std::size_t>(got));
      if (result_.output.size() <= limits_.output_bytes) continue;
      result_.output.resize(limits_.output_bytes);
      box_.output.reset();
      kill(Watched::Killed::output_limit);
    }
  }

  void kill(Watched::Killed why) {
    if (result_.killed != Watched::Killed::no) return;
    result_.killed = why;
    killed_at_ = Clock::now();
    send_kill();
  }

  /// Killing the box's first process ends its whole pid namespace; bubblewrap, which waits for it, ends last.
  /// Bubblewrap itself is never killed, because it can be about to release a first process: this function is
  /// called again until bubblewrap has written that process's pid.
  void send_kill() {
    if (reaped_) return;  // the pid can belong to another process by now
    if (box_.process_group)
      ::kill(-box_.pid, SIGKILL);
    else if (find_first_process())
      ::syscall(SYS_pidfd_send_signal, first_process_.get(), SIGKILL, nullptr, 0);
  }

  bool find_first_process() {
    char json[256];
    const ssize_t got = first_process_ ? 0 : ::pread(box_.info.get(), json, sizeof json, 0);
    const pid_t pid = got > 0 ? child_pid({json, static_cast<std::size_t>(got)}) : 0;
    if (pid > 0) first_process_ = open_process(pid);
    return static_cast<bool>(first_process_);
  }

  void reap() {
    if (box_.process_group) ::kill(-box_.pid, SIGKILL);  // processes that the command left running
    while (::wait4(box_.pid, &result_.status, 0, &result_.usage) < 0 && errno == EINTR) {
    }
    reaped_ = true;
  }

  Watched finish() {
    read_output();
    BoxReport report{};
    while (::read(box_.reports.get(), &report, sizeof report) == sizeof report && result_.reports.size() < 8)
      result_.reports.push_back(report);
    result_.wall = Clock::now() - start_;
    return std::move(result_);
  }

  WatchedBox box_;
  const WatchLimits limits_;
  const Descriptor child_;
  Descriptor first_process_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point deadline_{}, killed_at_{};
  bool reaped_ = false;
  Watched result_;
};

}  // namespace

Watched watch(WatchedBox box, const WatchLimits& limits) { return Watch(std::move(box), limits).run(); }

}  // namespace grader
