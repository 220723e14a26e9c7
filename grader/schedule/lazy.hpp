// A value that the first who asks makes and all others share. Covered by schedule/lazy_test.cpp.
#pragma once

#include <list>
#include <mutex>

namespace grader {

/// How often what fails is tried.
inline constexpr std::size_t kMakeAttempts = 3;

/// T is an Expected: what fails is made again when somebody asks again, for a fault of the machine may pass,
/// but only a few times, for one of the kit does not.
/// Thread safe: one caller makes the value, others wait for it. References stay valid as long as the Lazy.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(Make&& make) {
    const std::lock_guard lock(mutex_);
    if (made_.empty() || (!made_.back() && made_.size() < kMakeAttempts)) made_.push_back(make());
    return made_.back();
  }

 private:
  std::mutex mutex_;
  std::list<T> made_;  ///< failures, then perhaps the value
};

}  // namespace grader
