// The counters that an objective in lab.json may name; score/counters.cpp gives their values.
#pragma once

#include <string>
#include <vector>

namespace grader {

const std::vector<std::string>& counter_names();

}  // namespace grader
