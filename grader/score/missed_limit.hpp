// The limit of an objective that a run misses. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lab/lab.hpp"

namespace grader {

struct MissedLimit {
  ShownCounter limited;  ///< the objective's own counter, or one next to it
  double value = 0;      ///< outside the limits
  double atomics = 0;    ///< the part of `value` that is not the counter's own but that of atomics
};

/// The first limit that the case's counters miss: that of the objective's own counter, then those of the
/// counters next to it. nullopt: all limits are met. Launches can differ in their configuration, and atomics
/// can do the work of loads and stores: an upper limit is compared with the greatest value (kMostPrefix). A
/// missing counter has no effect.
std::optional<MissedLimit> missed_limit(const Objective& objective,
                                        const std::map<std::string, double>& counters);

}  // namespace grader
