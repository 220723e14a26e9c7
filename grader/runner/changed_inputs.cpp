#include "runner/changed_inputs.hpp"

#include <optional>
#include <span>

#include <fmt/format.h>

#include "harness/elements.hpp"

namespace grader {
namespace {

using harness::Words;

/// Calls visit(input, index of its call) for all inputs, in the order of Answer::inputs.
template <class Visit>
void for_inputs(const harness::Job& job, Visit visit) {
  for (std::size_t call = 0; !job.takes_turns && call < job.earlier.size(); ++call)
    for (const harness::Input& one : job.earlier[call].inputs) visit(one, call);
  for (const harness::Input& one : job.inputs) visit(one, job.earlier.size());
}

/// The words of the input after `rotation` that differ from these.
std::optional<ChangedInput> compared(const harness::Input& input, const Words& found,
                                     std::uint64_t rotation) {
  const std::size_t count = input.values.size(), first = count == 0 ? 0 : rotation % count;
  ChangedInput changed{.name = input.name, .shape = input.shape, .element = input.element};
  for (std::size_t i = 0; i < count; ++i) {
    const float value = input.values[i < count - first ? first + i : first + i - count];
    const std::uint32_t given = harness::word_of(value, input.element);
    if (given == found[i] || changed.count++ > 0) continue;
    changed.first = i;
    changed.given = given;
    changed.found = found[i];
  }
  return changed.count == 0 ? std::nullopt : std::optional(std::move(changed));
}

}  // namespace

std::string read_inputs(const harness::Job& job, const vgpu::Device& device, harness::Answer& answer) {
  if (answer.inputs.size() != harness::input_count(job)) return "";
  std::string problem;
  std::size_t next = 0;
  for_inputs(job, [&](const harness::Input& input, std::size_t) {
    auto& [address, words] = answer.inputs[next++];
    if (input.place != harness::Place::device) return;
    words.assign(element_count(input.shape), 0);
    const auto bytes = std::as_writable_bytes(std::span(words));
    if (problem.empty() && !bytes.empty() && !device.read(address, bytes))
      problem = fmt::format("{} is no longer in device memory", input.name);
  });
  return problem;
}

std::vector<ChangedInput> changed_inputs(const harness::Job& job, const harness::Answer& answer,
                                         std::uint64_t rotation, const vgpu::Device* device) {
  std::vector<ChangedInput> all;
  if (answer.inputs.size() != harness::input_count(job)) return all;
  std::size_t next = 0;
  for_inputs(job, [&](const harness::Input& input, std::size_t call) {
    const auto& [address, words] = answer.inputs[next++];
    if (words.size() != input.values.size()) return;
    auto changed = compared(input, words, rotation);
    if (!changed) return;
    changed->call = call;
    if (device != nullptr && input.place == harness::Place::device)
      changed->stored_by =
          device->stored_by(address + changed->first * sizeof(std::uint32_t), sizeof(std::uint32_t)).at(0);
    all.push_back(*std::move(changed));
  });
  return all;
}

}  // namespace grader
