#include "judge/arrays.hpp"

namespace grader {

std::optional<NamedArray> named_array(const vgpu::Fault& fault, const harness::Job& job) {
  if (!fault.nearest || fault.nearest->ordinal == 0) return std::nullopt;
  const std::size_t index = fault.nearest->ordinal - 1;
  const std::size_t inputs = job.inputs.size();
  std::optional<NamedArray> array;
  if (index < inputs) {
    array = NamedArray{job.inputs[index].name, job.inputs[index].shape};
  } else if (index < inputs + job.outputs.size()) {
    array = NamedArray{job.outputs[index - inputs].name, job.outputs[index - inputs].shape};
  }
  // A program that allocates before the harness does shifts the numbers.
  if (array && element_count(array->shape) * sizeof(float) != fault.nearest->size_bytes) return std::nullopt;
  return array;
}

}  // namespace grader
