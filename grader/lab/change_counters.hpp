// Counters that say how much of the results comes by a way that a task asks for, such as shared memory. A
// case whose objectives use one is run once more, or twice, with the values on that way scaled
// (vgpu/facts/experiment.hpp): accesses for show change no result. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.hpp"
#include "lab/lab.hpp"
#include "vgpu/facts/experiment.hpp"

namespace grader {

struct ChangeCounter {
  std::string_view name;        ///< "change_by_shared_loads"
  std::string_view definition;  ///< what the counter counts
  std::string_view cause;       ///< why a program has too little of it
  vgpu::Scaled scaled;
  vgpu::Scaled scaled_below_1;  ///< for a second run if the first one fails
  double (*measured)(const std::vector<Array>& right, const std::vector<Array>& with_scaled);
};

std::span<const ChangeCounter> change_counter_table();
/// nullptr if no counter has this name.
const ChangeCounter* find_change_counter(std::string_view name);
/// The table in Markdown, with its heading.
std::string change_counter_markdown();

/// Those that an objective of the case uses. A run of the case has no others.
std::vector<ChangeCounter> change_counters_of(const Lab& lab, const std::string& case_name);

/// How much nine tenths of the elements change at least, each as a multiple of its right value and at most by
/// 1. Elements whose right value is 0 or infinite are left out. Those that become NaN or infinite change by
/// 1, but those that were not stored by 0: `if (value != 1) return;` computes nothing with the value. 0 if
/// there are no others, or if the sizes of arrays differ.
double least_change(const std::vector<Array>& right, const std::vector<Array>& with_scaled);

/// The same, but elements that are multiplied by a power of two exactly count as unchanged.
double least_uneven_change(const std::vector<Array>& right, const std::vector<Array>& with_scaled);

/// As least_change(), of a tenth of the elements.
double change_of_a_tenth(const std::vector<Array>& right, const std::vector<Array>& with_changed);

/// How many times half of the elements double at least: 2 for products of two values that were doubled.
/// (Where a part of a sum doubles more often than the rest, parts of either sign make some elements smaller.)
/// Elements are left out as above; those that become NaN, infinite or 0 count 0.
double median_doublings(const std::vector<Array>& right, const std::vector<Array>& with_scaled);

}  // namespace grader
