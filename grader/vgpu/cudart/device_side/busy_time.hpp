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
    total_ += worked;
  }

  /// Wall-clock time, with that of unfinished work. An answer between the steps of end() can lack this
  /// work.
  std::chrono::nanoseconds so_far() const {
    const std::int64_t since = since_;
    return std::chrono::nanoseconds(total_ + (since == kIdle ? 0 : now() - since));
  }

 private:
  static constexpr std::int64_t kIdle = -1;
  static std::int64_t now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  }

  std::atomic<std::int64_t> total_{0}, since_{kIdle};
};

}  // namespace vgpu::cudart
