#include "schedule/baseline_pace.hpp"

#include <algorithm>

namespace grader {

void BaselinePace::add(const std::string& case_name, double seconds) {
  const std::lock_guard lock(mutex_);
  Seen& seen = seen_[case_name];
  seen.fastest_s = seen.count == 0 ? seconds : std::min(seen.fastest_s, seconds);
  ++seen.count;
}

void BaselinePace::assume(const std::string& case_name, double seconds) {
  add(case_name, seconds);
  const std::lock_guard lock(mutex_);
  seen_[case_name].is_assumed = true;
}

bool BaselinePace::contradicts(const std::string& case_name, double seconds) {
  const std::lock_guard lock(mutex_);
  Seen& seen = seen_[case_name];
  if (!seen.is_assumed || seconds <= kCalmPace * seen.fastest_s) return false;
  seen = {};
  return true;
}

void BaselinePace::forget(const std::string& case_name) {
  const std::lock_guard lock(mutex_);
  seen_[case_name] = {};
}

std::optional<double> BaselinePace::fastest_s(const std::string& case_name) {
  const std::lock_guard lock(mutex_);
  const Seen& seen = seen_[case_name];
  return seen.count == 0 ? std::nullopt : std::optional(seen.fastest_s);
}

std::mutex& BaselinePace::learning(const std::string& case_name) {
  const std::lock_guard lock(mutex_);
  return learning_[case_name];  // a map's elements keep their addresses
}

bool BaselinePace::is_known(const std::string& case_name) {
  const std::lock_guard lock(mutex_);
  return seen_[case_name].count > 1;
}

}  // namespace grader
