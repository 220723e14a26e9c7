#include "runner/device_outputs.hpp"

#include <cstring>

#include <fmt/format.h>

#include "harness/elements.hpp"

namespace grader {
namespace {

/// Compares bits, so equal NaNs are equal.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace

std::string difference_from_device(const harness::Job& job, const harness::Answer& answer,
                                   const vgpu::Device& device) {
  if (answer.outputs.size() != job.outputs.size() || answer.addresses.size() != job.outputs.size()) return "";
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const harness::OutputSpec& spec = job.outputs[i];
    if (spec.place != harness::Place::device) continue;
    harness::Words words(element_count(spec.shape));
    const auto bytes = std::as_writable_bytes(std::span(words));
    if (!bytes.empty() && !device.read(answer.addresses[i], bytes))
      return fmt::format("{} is no longer in device memory", spec.name);
    if (!same_bits(harness::decoded(words, spec.element), answer.outputs[i].values))
      return fmt::format("{} on the device differs from what was sent", spec.name);
  }
  return "";
}

}  // namespace grader
