// The baseline's fastest time per case on a real GPU. A baseline that is slow for its process's whole life
// would make any submission look fast, so measurements are compared with this pace. Covered by
// schedule/baseline_pace_test.cpp.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace grader {

/// Thread-safe.
class BaselinePace {
 public:
  /// The median of a measurement.
  void add(const std::string& case_name, double seconds);
  /// The pace of an earlier grader on this GPU. It is only a claim: contradicts() drops it.
  void assume(const std::string& case_name, double seconds);
  /// Whether the pace was assumed and a measurement is much slower: the GPU or its driver can have changed.
  /// Then the pace is unknown again.
  bool contradicts(const std::string& case_name, double seconds);

  void forget(const std::string& case_name);

  std::optional<double> fastest_s(const std::string& case_name);  ///< nullopt: nothing was added
  /// One measurement alone can be disturbed, so the pace counts as known from the second one on.
  bool is_known(const std::string& case_name);

  /// For the thread that measures the pace of the case, while others wait for it.
  std::mutex& learning(const std::string& case_name);

 private:
  struct Seen {
    double fastest_s = 0;
    std::size_t count = 0;
    bool is_assumed = false;
  };

  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
  std::map<std::string, std::mutex> learning_;
};

/// How much slower than the pace a baseline is if the machine is quiet.
inline constexpr double kCalmPace = 1.2;

}  // namespace grader
