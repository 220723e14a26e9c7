// Counters of a whole run that need no counting: how kernels were launched, and modelled times. The only
// definition of their names; score/counters.cpp computes the values. Covered by score/counter_table_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace grader {

struct RunCounter {
  std::string_view name;          ///< "block_threads"
  std::string_view definition;    ///< what the value is
  bool is_configuration = false;  ///< of a launch: the run's value is the least one of its launches
};

std::span<const RunCounter> run_counter_table();
/// nullptr if no counter has this name.
const RunCounter* find_run_counter(std::string_view name);
/// The table in Markdown, with its heading.
std::string run_counter_markdown();

}  // namespace grader
