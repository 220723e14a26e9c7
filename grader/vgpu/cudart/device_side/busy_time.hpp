// How long a server has worked on its client's requests. One thread begins and ends the work; any thread may
// ask.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace vgpu::cudart {

class BusyTime {
 public:
  void begin() { since_ = now(); }
  void end() {
    const std::int64_t worked = now() - since_;
    since_ = kIdle;
    if (commands_ < kMostCommands) total_ += worked;
    ++commands_;
  }

  /// Only so many commands count: a loop that issues them without end must reach its time limit.
  static constexpr std::uint64_t kMostCommands = 4096;

  /// Wall-clock time, with that of unfinished work. An answer between the steps of end() can lack this
  /// work.
  std::chrono::nanoseconds so_far() const {
    const std::int64_t since = since_;
    const bool counts = since != kIdle && commands_ < kMostCommands;
    return std::chrono::nanoseconds(total_ + (counts ? now() - since : 0));
  }

 private:
  static constexpr std::int64_t kIdle = -1;
  static std::int64_t now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  }

  std::atomic<std::int64_t> total_{0}, since_{kIdle};
  std::atomic<std::uint64_t> commands_{0};
};

}  // namespace vgpu::cudart
