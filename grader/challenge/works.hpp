// The works that the ladders of solutions/*/challenge do, each with its checks and its measurements.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "challenge/limits.hpp"

namespace challenge {

/// One table: the same call for each program.
struct Measurement {
  std::string title;
  std::string limit;  ///< how limit_ms follows from the measured limits
  double limit_ms;
  std::function<void(void* function)> call;
  std::string peer;
  std::function<void()> call_peer;    ///< null if there is none
  bool naive_runs = true;             ///< false if the size is beyond what the baseline supports
  std::shared_ptr<void> arrays = {};  ///< what the calls use
};

/// Where NVIDIA's libraries can be called; null pointers without them.
struct Peers {
  void *product, *sum, *matvec;
};

struct Work {
  std::string lab, function;
  /// Calls the function at sizes that are awkward for its kernels, and returns what is wrong, or nothing.
  std::function<std::string(void* function)> verify;
  std::vector<std::function<Measurement(const Limits&, const Peers&)>> measurements;
};

std::vector<Work> all_works();

}  // namespace challenge
