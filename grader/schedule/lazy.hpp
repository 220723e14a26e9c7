// A value that the first caller computes and all others share. Covered by schedule/lazy_test.cpp.
#pragma once

#include <list>
#include <mutex>

namespace grader {

/// Maximum number of attempts to compute a value.
inline constexpr std::size_t kMakeAttempts = 3;

/// T is an Expected. After a failure, the next call tries again, because a fault of the machine can be
/// temporary. The number of attempts is limited, because a fault of the kit is permanent. Thread-safe: one
/// caller computes the value and others wait for it. References stay valid as long as the Lazy.
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
