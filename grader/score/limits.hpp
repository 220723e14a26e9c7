// The part of the virtual GPU that limits a run's speed, in words: advice on speed must name it, since saving
// work for another part does not help. Covered by tests/score/limits_test.cpp.
#pragma once

#include <map>
#include <string>

namespace grader {

/// "DRAM limits the speed: busy for 92 % of the kernels' time, instructions for 31 %, shared memory for 4 %;
/// …" for a run whose graded time is `timed_s`: that of the kernels, or of the whole call. Empty without
/// counters (on a real GPU).
std::string limiting_part(const std::map<std::string, double>& counters, double timed_s);

/// The counter of the busiest part: "dram_s", "compute_s" or "shared_s"; empty without counters.
std::string busiest_part(const std::map<std::string, double>& counters);

/// DRAM is the busiest part, and most of the bytes that it moves are not asked for.
bool is_uncoalesced(const std::map<std::string, double>& counters);

/// True for counters of work per time: "useful_operations_per_clock".
bool is_of_speed(const std::string& counter);

}  // namespace grader
