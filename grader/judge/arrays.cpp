#include "judge/arrays.hpp"

#include <algorithm>

namespace grader {

std::vector<NamedArray> device_arrays(const harness::Job& job) {
  std::vector<NamedArray> arrays;
  const auto add = [&](const auto& one) {
    if (one.place == harness::Place::device && element_count(one.shape) > 0)
      arrays.push_back({one.name, one.shape});
  };
  const auto add_all = [&](const auto& call) {
    for (const harness::Input& one : call.inputs) add(one);
    for (const harness::OutputSpec& one : call.outputs) add(one);
  };
  add_all(job);
  for (const harness::EarlierCall& one : job.earlier) add_all(one);
  return arrays;
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
