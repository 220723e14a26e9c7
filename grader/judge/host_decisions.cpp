#include "judge/host_decisions.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/elements.hpp"
#include "judge/patterns.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::cudart::HostCommand;
using vgpu::cudart::HostCommandRecord;
using vgpu::cudart::TransferredWords;

Diagnostic decision_problem(std::string what) {
  Diagnostic found = diagnose(
      "WG-S27", std::move(what),
      "let the host decide by sizes only, and let kernels read what other kernels have computed where it is: "
      "in device memory");
  found.likely_cause =
      "the host reads values back, and computes with them, compares them, or decides by them what it "
      "launches, passes or uploads";
  return found;
}

std::string name_of(const HostCommand& command) {
  switch (command.kind) {
    case HostCommand::Kind::launch:
      return fmt::format("a launch of `{}`", kernel_name(command.kernel));
    case HostCommand::Kind::copy_to_device:
      return "a copy to the device";
    case HostCommand::Kind::copy_to_host:
      return "a copy to the host";
    case HostCommand::Kind::copy_on_device:
      return "a copy within the device";
    case HostCommand::Kind::fill:
      return "a fill of device memory";
    case HostCommand::Kind::memory:
      return "an allocation or a release of device memory";
    case HostCommand::Kind::limit:
      return "a limit of the device";
    case HostCommand::Kind::module:
      return "the device code";
  }
  return "a command";
}

/// The words of the first that differ from those of the second, in effect: memory that already held these
/// values, or that no kernel read, does not count.
std::optional<std::size_t> first_difference(const HostCommand& one, const HostCommand& other) {
  for (std::size_t i = 0; i < one.words.size(); ++i) {
    const HostCommand::Word &a = one.words[i], &b = other.words[i];
    const bool is_used = a.is_used || b.is_used;
    if (is_used && a.value != b.value && !(a.is_known && b.is_known)) return i;
  }
  return std::nullopt;
}

std::string where_in(const HostCommand& command, std::size_t word) {
  if (command.kind != HostCommand::Kind::launch) return fmt::format("byte {}", 4 * word);
  if (word < command.parameter_words) return fmt::format("byte {} of the parameters", 4 * word);
  return fmt::format("byte {} of memory that host and device share", 4 * (word - command.parameter_words));
}

/// Empty: no difference.
std::string difference(const HostCommand& one, const HostCommand& other) {
  if (one.kind != other.kind || one.kernel != other.kernel)
    return fmt::format("{} is {} with other values", name_of(one), name_of(other));
  if (one.shape != other.shape || one.words.size() != other.words.size())
    return fmt::format(
        "{} has another {} with other values", name_of(one),
        one.kind == HostCommand::Kind::launch ? "grid, block or shared memory" : "size or place");
  const auto word = first_difference(one, other);
  if (!word) return "";
  return fmt::format("{} has 0x{:08x} from {} on, and 0x{:08x} with other values", name_of(one),
                     one.words[*word].value, where_in(one, *word), other.words[*word].value);
}

std::optional<Diagnostic> diagnose_commands(const HostCommandRecord& one, const HostCommandRecord& other) {
  const std::size_t common = std::min(one.commands.size(), other.commands.size());
  for (std::size_t i = 0; i < common; ++i)
    if (const std::string found = difference(one.commands[i], other.commands[i]); !found.empty())
      return decision_problem(
          fmt::format("what the host asks of the device depends on values that the device sent: {}", found));
  if (!one.is_complete || !other.is_complete)
    return decision_problem(
        "after the device has sent values, the host asks more of it than can be compared");
  if (one.commands.size() == other.commands.size()) return std::nullopt;
  const auto& longer = one.commands.size() > common ? one.commands : other.commands;
  return decision_problem(fmt::format(
      "how often the host asks something of the device depends on values that the device sent: {} "
      "commands, and {} with other values; the first that is additional is {}",
      one.commands.size(), other.commands.size(), name_of(longer[common])));
}

/// Memory that both sides access is recorded when kernels store to it, so that places can differ.
bool shares_memory(const vgpu::cudart::SessionReport& session) {
  const auto& pieces = session.words.to_device.pieces;
  return session.traffic.written_to_host > 0 || session.traffic.read_from_host > 0 ||
         std::any_of(pieces.begin(), pieces.end(), [](const auto& one) { return one.is_shared; });
}

/// A result that the host takes from the device is at the same place among the copied values in both runs,
/// unless the host selects it by values.
std::optional<Diagnostic> diagnose_choice(const CaseRun& run, const CaseRun& other, const harness::Job& job,
                                          std::size_t output) {
  const TransferredWords &words = run.session.words, &other_words = other.session.words;
  if (!words.is_complete || !other_words.is_complete || words.to_host.size() != other_words.to_host.size() ||
      shares_memory(run.session) || shares_memory(other.session))
    return std::nullopt;
  const harness::Element element = job.outputs[output].element;
  const Array& array = run.answer.outputs[output];
  const harness::Words result = harness::encoded(array.values, element),
                       other_result = harness::encoded(other.answer.outputs[output].values, element);
  std::multimap<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < words.to_host.size(); ++i) places.emplace(words.to_host[i], i);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto [first, end] = places.equal_range(result[i]);
    if (std::none_of(first, end,
                     [&](const auto& one) { return other_words.to_host[one.second] == other_result[i]; }))
      return decision_problem(
          fmt::format("the host takes {} from another place among the values that the device sent if the "
                      "values are others",
                      element_name(array.name, array.shape, i)));
  }
  return std::nullopt;
}

}  // namespace

bool host_can_follow_values(const CaseRun& run, const harness::Job& job) {
  if (!job.needs_launch || !harness::has_device_inputs(job)) return false;
  const auto& [commands, is_complete] = run.session.commands;
  return !is_complete || std::any_of(commands.begin(), commands.end(), [](const HostCommand& one) {
    return one.is_sent();
  }) || std::any_of(job.outputs.begin(), job.outputs.end(), [](const harness::OutputSpec& one) {
    return one.is_copied;
  });
}

std::optional<Diagnostic> diagnose_host_decisions(const CaseRun& run, const CaseRun& other,
                                                  const harness::Job& job) {
  if (other.end == CaseRun::End::grader_fault || other.end == CaseRun::End::stopped)
    return diagnose("WG-G10", "the grader could not run the case again: " + cleaned(other.fault),
                    "grade it again; `warpgrade doctor` checks this machine");
  if (auto found = diagnose_commands(run.session.commands, other.session.commands)) return found;
  if (other.answer.outputs.size() != run.answer.outputs.size())
    return decision_problem("the program does not complete if the values in device memory are others");
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (job.outputs[i].is_copied)
      if (auto found = diagnose_choice(run, other, job, i)) return found;
  return std::nullopt;
}

}  // namespace grader
