// The counters that an objective in lab.json can name; score/counters.cpp computes their values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/workload.hpp"

namespace grader {

/// Counters of a whole run.
const std::vector<std::string>& counter_names();

/// Of counter_names(), those that describe how launches were configured and what of it they used. They are
/// the least values of the launches that the result depends on. The greatest values have the same names after
/// kMostPrefix; an objective's upper limit is compared with them.
const std::vector<std::string>& configuration_names();
inline constexpr const char* kMostPrefix = "most_";

/// For a counter of loads from or stores to a memory, the counter of atomics on the same memory. An atomic
/// can do the work of either, so the counter's sum with it has the counter's name after kMostPrefix, too.
std::optional<std::string> counter_of_atomics(const std::string& counter);

/// The dividend and divisor of a name "above_per_below". Above: a counter, or a quantity of the workload with
/// an s. Below: a quantity of the workload (Workload::quantities), or a quantity of every run: "launch",
/// "block" and "thread", which count all launches; "clock" and "call_clock", an SM's clocks during the
/// device's own work (device_s) and during the whole call. So "barriers_per_block" is barriers divided by
/// blocks, and "outputs_per_clock" is a workload's outputs divided by clocks.
struct Ratio {
  std::string above, below;
};

/// nullopt: the name does not have that form, or the counter does not exist. `quantities` are the workload's.
std::optional<Ratio> parse_ratio(const std::string& name, const std::vector<std::string>& quantities);

/// Whether work that does nothing useful can improve the counter: a ratio to work of the program itself, such
/// as sectors per request, and the overlap of engines. Totals, and their ratios to the workload's quantities,
/// only grow.
bool is_dilutable(const std::string& counter);

/// Whether work that does nothing useful makes the counter larger. Registers, and resources that are not
/// freed, are no work.
bool grows_with_work(const std::string& counter);

/// The counter for people: "global_load_requested_bytes_per_flop" → "global load requested B/flop", "call_s"
/// → "call time".
std::string counter_words(std::string counter);
/// The inverse of counter_words(); names are unchanged.
std::string counter_of_words(std::string words);
/// The counter's value for people: "0.25", or "520 us" of a time.
std::string counter_figure(const std::string& counter, double value, int digits);

/// All names that a lab with this workload can use.
std::vector<std::string> counter_names(const Workload& workload);

}  // namespace grader
