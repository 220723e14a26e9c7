// What a missed limit on a counter means, whatever the lab: the limits next to an objective have no hint of
// their own in lab.json, and the objective's hint is about another counter. Covered by
// tests/score/counter_advice_test.cpp.
#pragma once

#include <map>
#include <string>

namespace grader {

struct CounterAdvice {
  std::string cause;      ///< what the program does
  std::string next_step;  ///< empty: what to do depends on the task
};

/// Advice for a counter that is above its upper limit, or else below its lower limit. `counters` of the run
/// say which memory a sum over several memories comes from. Both texts are empty for counters that need no
/// explanation.
CounterAdvice counter_advice(const std::string& counter, bool is_too_high,
                             const std::map<std::string, double>& counters);

}  // namespace grader
