// A value that the first who asks makes and all others share.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace grader {

/// Thread safe: one caller makes the value, others wait for it.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(Make&& make) {
    std::call_once(once_, [&] { value_.emplace(std::forward<Make>(make)()); });
    return *value_;
  }

 private:
  std::once_flag once_;
  std::optional<T> value_;
};

}  // namespace grader
