#include "harness/job.hpp"

#include <algorithm>
#include <iterator>

namespace grader::harness {

std::vector<float> rotated(const std::vector<float>& values, std::uint64_t rotation) {
  std::vector<float> turned;
  if (values.empty()) return turned;
  turned.reserve(values.size());
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(rotation % values.size());
  std::rotate_copy(values.begin(), first, values.end(), std::back_inserter(turned));
  return turned;
}

Job rotated(Job job, std::uint64_t rotation) {
  for (Input& input : job.inputs) input.values = rotated(input.values, rotation);
  return job;
}

}  // namespace grader::harness
