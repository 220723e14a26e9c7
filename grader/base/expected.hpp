// Expected<T, E>: a value, or the reason why there is none. A small substitute for C++23's std::expected,
// with the same member names, so that it can be removed once the oldest supported compiler has std::expected.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

namespace grader {

template <class E>
struct Unexpected {
  E error;
};

template <class E>
Unexpected(E) -> Unexpected<E>;

template <class T, class E>
class Expected {
 public:
  Expected(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Expected(Unexpected<E> reason)
      : state_(std::in_place_index<1>, std::move(reason.error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() { return assert(has_value()), std::get<0>(state_); }
  const T& value() const { return assert(has_value()), std::get<0>(state_); }
  E& error() { return assert(!has_value()), std::get<1>(state_); }
  const E& error() const { return assert(!has_value()), std::get<1>(state_); }

 private:
  std::variant<T, E> state_;
};

}  // namespace grader
