#include "judge/arrays.hpp"

#include <algorithm>

namespace grader {
namespace {

template <class Array>
bool has_allocation(const Array& one) {
  return one.place == harness::Place::device && element_count(one.shape) > 0;
}

}  // namespace

std::vector<NamedArray> device_arrays(const harness::Job& job) {
  std::vector<NamedArray> arrays;
  const auto add = [&](const auto& one, bool is_output) {
    if (has_allocation(one)) arrays.push_back({one.name, one.shape, is_output});
  };
  const auto add_all = [&](const auto& call) {
    for (const harness::Input& one : call.inputs) add(one, false);
    for (const harness::OutputSpec& one : call.outputs) add(one, true);
  };
  add_all(job);
  for (const harness::EarlierCall& one : job.earlier)
    if (!harness::shares_arrays(one, job)) add_all(one);
  return arrays;
}

std::size_t harness_allocations(const harness::Job& job) {
  const std::size_t arrays = device_arrays(job).size();
  const auto sharing = static_cast<std::size_t>(
      std::count_if(job.earlier.begin(), job.earlier.end(),
                    [&](const harness::EarlierCall& one) { return harness::shares_arrays(one, job); }));
  if (sharing == 0) return arrays;
  const auto inputs = static_cast<std::size_t>(
      std::count_if(job.inputs.begin(), job.inputs.end(), has_allocation<harness::Input>));
  // Each call's values before it, and those after each call but the last.
  return arrays + inputs * (2 * sharing + 1);
}

std::optional<NamedArray> named_array(const vgpu::Fault& fault, const harness::Job& job) {
  if (!fault.nearest || fault.nearest->ordinal == 0) return std::nullopt;
  const auto arrays = device_arrays(job);
  const std::size_t index = fault.nearest->ordinal - 1;
  if (index >= arrays.size()) return std::nullopt;
  // If a program allocates before the harness does, the numbers are shifted.
  if (element_count(arrays[index].shape) * sizeof(float) != fault.nearest->size_bytes) return std::nullopt;
  return arrays[index];
}

bool is_on_host(const harness::Job& job) {
  const auto is_there = [](const auto& array) { return array.place != harness::Place::device; };
  return std::all_of(job.inputs.begin(), job.inputs.end(), is_there) &&
         std::all_of(job.outputs.begin(), job.outputs.end(), is_there);
}

}  // namespace grader
