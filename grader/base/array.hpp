// A dense row-major array of float, which workload, harness, oracle and judge exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace grader {

using Shape = std::vector<std::uint32_t>;

inline std::size_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// Invariant: values.size() == element_count(shape).
struct Array {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

}  // namespace grader
