// True if a range contains a value: a substitute for C++23's std::ranges::contains.
#pragma once

#include <algorithm>
#include <iterator>

namespace grader {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

}  // namespace grader
