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

/// As difference_from_device(), for one call.
std::string difference_of_call(const harness::Job& job, const std::vector<Array>& outputs,
                               const std::vector<std::uint64_t>& addresses, const vgpu::Device& device) {
  if (outputs.size() != job.outputs.size() || addresses.size() != job.outputs.size()) return "";
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const harness::OutputSpec& spec = job.outputs[i];
    if (spec.place != harness::Place::device) continue;
    harness::Words words(element_count(spec.shape));
    const auto bytes = std::as_writable_bytes(std::span(words));
    if (!bytes.empty() && !device.read(addresses[i], bytes))
      return fmt::format("{} is no longer in device memory", spec.name);
    if (!same_bits(harness::decoded(words, spec.element), outputs[i].values))
      return fmt::format("{} on the device differs from what was sent", spec.name);
  }
  return "";
}

/// What `ask` says of the words of each output in device memory.
template <class Known, class Ask>
std::vector<std::vector<Known>> of_outputs(const harness::Job& job, const harness::Answer& answer, Ask ask) {
  if (answer.addresses.size() != job.outputs.size()) return {};
  std::vector<std::vector<Known>> all(job.outputs.size());
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (job.outputs[i].place == harness::Place::device)
      all[i] = ask(answer.addresses[i], element_count(job.outputs[i].shape) * sizeof(float));
  return all;
}

}  // namespace

std::string difference_from_device(const harness::Job& job, const harness::Answer& answer,
                                   const vgpu::Device& device) {
  std::string difference = difference_of_call(job, answer.outputs, answer.addresses, device);
  for (const harness::CallOutputs& one : answer.earlier)
    if (difference.empty()) difference = difference_of_call(job, one.outputs, one.addresses, device);
  return difference;
}

std::vector<std::vector<vgpu::StoreLine>> lines_of_outputs(const harness::Job& job,
                                                           const harness::Answer& answer,
                                                           const vgpu::Device& device) {
  return of_outputs<vgpu::StoreLine>(job, answer, [&](std::uint64_t start, std::size_t size_bytes) {
    return device.stored_by(start, size_bytes);
  });
}

std::vector<std::vector<vgpu::TermId>> terms_of_outputs(const harness::Job& job,
                                                        const harness::Answer& answer,
                                                        const vgpu::Device& device) {
  return of_outputs<vgpu::TermId>(job, answer, [&](std::uint64_t start, std::size_t size_bytes) {
    return device.terms_of(start, size_bytes);
  });
}

}  // namespace grader
