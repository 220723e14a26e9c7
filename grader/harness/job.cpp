#include "harness/job.hpp"

#include <algorithm>
#include <iterator>

namespace grader::harness {

namespace {

template <class Array>
bool have_equal_sizes(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Array& one, const Array& other) {
    return one.shape == other.shape && one.place == other.place;
  });
}

}  // namespace

bool has_device_inputs(const Job& job) {
  return std::any_of(job.inputs.begin(), job.inputs.end(),
                     [](const Input& one) { return one.place == Place::device; });
}

const std::string& function_of(const EarlierCall& earlier, const Job& job) {
  return earlier.entry.empty() ? job.entry : earlier.entry;
}

bool shares_arrays(const EarlierCall& earlier, const Job& job) {
  using Values = EarlierCall::Values;
  if (earlier.values == Values::smaller) return true;
  return earlier.values != Values::almost_equal_elsewhere && earlier.values != Values::equal_elsewhere &&
         have_equal_sizes(earlier.inputs, job.inputs) && have_equal_sizes(earlier.outputs, job.outputs);
}

bool has_checked_results(const EarlierCall& earlier) {
  return earlier.values == EarlierCall::Values::equal_elsewhere;
}

std::size_t checked_earlier_calls(const Job& job) {
  if (job.takes_turns) return 0;
  return static_cast<std::size_t>(std::count_if(job.earlier.begin(), job.earlier.end(), has_checked_results));
}

bool is_written_repeatedly(const Job& job) {
  return job.takes_turns || std::any_of(job.earlier.begin(), job.earlier.end(),
                                        [&](const EarlierCall& one) { return shares_arrays(one, job); });
}

std::size_t input_count(const Job& job) {
  std::size_t count = job.inputs.size();
  if (!job.takes_turns)
    for (const EarlierCall& one : job.earlier) count += one.inputs.size();
  return count;
}

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
