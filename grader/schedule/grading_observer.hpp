// Receives events while one submission is graded.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "schedule/case_runner.hpp"

namespace grader {

/// Called from several threads, one at a time.
struct GradingObserver {
  std::function<void(std::string_view)> stage;  ///< "building tiled_matmul.cu", "running 17x33x65"
  std::function<void(DeviceKind, const CaseRun&, const CaseVerdict&)> case_done;
};

/// Serialises the observer's callbacks.
class SerialObserver {
 public:
  explicit SerialObserver(const GradingObserver& observer) : observer_(observer) {}
  void stage(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (observer_.stage) observer_.stage(what);
  }
  void case_done(DeviceKind device, const CaseOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    if (observer_.case_done) observer_.case_done(device, outcome.run, outcome.verdict);
  }

 private:
  const GradingObserver& observer_;
  std::mutex mutex_;
};

}  // namespace grader
