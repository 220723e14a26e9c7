#include "judge/host_decisions.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/elements.hpp"
#include "judge/arrays.hpp"
#include "judge/origin.hpp"
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

/// The same where the arrays are in host memory.
Diagnostic sent_results_problem(std::string what) {
  Diagnostic found =
      diagnose("WG-S27", std::move(what),
               "let the host copy the arrays and pass sizes and addresses; let kernels compute the results");
  found.likely_cause =
      "the host computes with the arrays' values, and sends what it has computed to the device: as a "
      "parameter, a grid, a size, a fill or a texture's settings";
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
      return "an allocation or a release of device memory, or a texture";
    case HostCommand::Kind::limit:
      return "a limit of the device";
    case HostCommand::Kind::module:
      return "the device code";
  }
  return "a command";
}

/// The words of the first that differ from those of the second, in effect: memory that already held these
/// values, or that no kernel read, does not count; nor do words that differ with the same values.
std::optional<std::size_t> first_difference(const HostCommand& one, const HostCommand& other) {
  for (std::size_t i = 0; i < one.words.size(); ++i) {
    const HostCommand::Word &a = one.words[i], &b = other.words[i];
    const bool is_compared = (a.is_used || b.is_used) && a.is_steady && b.is_steady;
    if (is_compared && a.value != b.value && !(a.is_known && b.is_known)) return i;
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

std::optional<Diagnostic> diagnose_commands(const HostCommandRecord& one, const HostCommandRecord& other,
                                            bool are_arrays_on_device) {
  const auto problem = are_arrays_on_device ? decision_problem : sent_results_problem;
  const char* const values =
      are_arrays_on_device ? "values that the device sent" : "the values in the arrays";
  const std::size_t common = std::min(one.commands.size(), other.commands.size());
  for (std::size_t i = 0; i < common; ++i)
    if (const std::string found = difference(one.commands[i], other.commands[i]); !found.empty())
      return problem(fmt::format("what the host asks of the device depends on {}: {}", values, found));
  if (!one.is_complete || !other.is_complete) {
    Diagnostic found = problem(
        fmt::format("{}the host asks more of the device than can be compared: more than {} launches, copies "
                    "and other commands",
                    are_arrays_on_device ? "after the device has sent values, " : "", common));
    found.likely_cause =
        "the work is cut into many more pieces than it needs, for instance of one element each";
    found.next_step = "use larger pieces, and fewer launches and copies";
    return found;
  }
  if (one.commands.size() == other.commands.size()) return std::nullopt;
  const auto& longer = one.commands.size() > common ? one.commands : other.commands;
  return problem(
      fmt::format("how often the host asks something of the device depends on {}: {} commands, and {} with "
                  "other values; the first that is additional is {}",
                  values, one.commands.size(), other.commands.size(), name_of(longer[common])));
}

std::size_t output_bytes(const harness::Job& job) {
  std::size_t bytes = 0;
  const auto add = [&](const std::vector<harness::OutputSpec>& outputs) {
    for (const harness::OutputSpec& one : outputs) bytes += element_count(one.shape) * sizeof(float);
  };
  add(job.outputs);
  for (const harness::EarlierCall& one : job.earlier) add(one.outputs);
  return bytes;
}

/// Fewer bytes than this share of the results hold less than their last row and column.
constexpr std::size_t kLeastShare = 256;

/// The bytes that a host can choose freely in its commands: sizes, places, grids, parameters, values.
std::size_t command_bytes(const std::vector<HostCommand>& commands) {
  std::size_t bytes = 0;
  for (const HostCommand& one : commands)
    bytes += one.words.size() * sizeof one.words[0].value + one.shape.size() * sizeof one.shape[0];
  return bytes;
}

/// Words that differ with the same values can hide results, encoded with the time. A time alone, or padding
/// that is little compared with the results, has no room.
constexpr std::size_t kWordsOfTime = 2;

bool have_room_for_results(std::size_t words, const harness::Job& job) {
  return words > kWordsOfTime && kLeastShare * words * sizeof(std::uint32_t) > output_bytes(job);
}

bool is_comparable(const HostCommand& one, const HostCommand& other) {
  return one.kind == other.kind && one.kernel == other.kernel && one.words.size() == other.words.size();
}

/// Memory that both sides access is recorded when kernels store to it. What they keep there in labs whose
/// arrays are on the device (a count, a maximum) comes in an order that follows values.
bool shares_memory(const vgpu::cudart::SessionReport& session) {
  const auto& pieces = session.words.to_device.pieces;
  return session.traffic.written_to_host > 0 || session.traffic.read_from_host > 0 ||
         std::any_of(pieces.begin(), pieces.end(), [](const auto& one) { return one.is_shared; });
}

/// The first element of the result that is not at the same place among the copied words in both runs.
std::optional<std::size_t> first_elsewhere(const harness::Words& words, const harness::Words& other_words,
                                           const harness::Words& result, const harness::Words& other_result) {
  const auto both = [](std::uint32_t one, std::uint32_t other) { return std::uint64_t{one} << 32U | other; };
  std::vector<std::uint64_t> copied(words.size());
  std::transform(words.begin(), words.end(), other_words.begin(), copied.begin(), both);
  std::sort(copied.begin(), copied.end());
  for (std::size_t i = 0; i < result.size(); ++i)
    if (!std::binary_search(copied.begin(), copied.end(), both(result[i], other_result[i]))) return i;
  return std::nullopt;
}

/// A result that the host takes from the device is at the same place among the copied values in both runs,
/// unless the host selects it by values. Integers can come as floats.
std::optional<Diagnostic> diagnose_choice(const CaseRun& run, const CaseRun& other, const harness::Job& job,
                                          std::size_t output) {
  const TransferredWords &words = run.session.words, &other_words = other.session.words;
  if (!words.is_complete || !other_words.is_complete || words.to_host.size() != other_words.to_host.size() ||
      (!is_on_host(job) && (shares_memory(run.session) || shares_memory(other.session))))
    return std::nullopt;
  const Array& array = run.answer.outputs[output];
  if (other.answer.outputs[output].values.size() != array.values.size()) return std::nullopt;
  const auto elsewhere = [&](harness::Element element) {
    return first_elsewhere(words.to_host, other_words.to_host, harness::encoded(array.values, element),
                           harness::encoded(other.answer.outputs[output].values, element));
  };
  const auto element = elsewhere(job.outputs[output].element);
  if (!element || !elsewhere(harness::Element::f32)) return std::nullopt;
  return decision_problem(
      fmt::format("the host takes {} from another place among the values that the device sent if the "
                  "values are others",
                  element_name(array.name, array.shape, *element)));
}

/// Values that the host sends of its own are the same with other inputs: constants, tables, sizes.
std::optional<Diagnostic> diagnose_own_values(const CaseRun& run, const CaseRun& other,
                                              const harness::Job& job) {
  const harness::Words &words = run.session.words.to_device.words,
                       &other_words = other.session.words.to_device.words;
  if (words.size() != other_words.size()) return std::nullopt;
  const std::vector<std::size_t> own = places_of_own_values(run, job);
  const auto differs = [&](std::size_t place) { return words[place] != other_words[place]; };
  const auto first = std::find_if(own.begin(), own.end(), differs);
  if (first == own.end()) return std::nullopt;
  const auto count = std::count_if(first, own.end(), differs);
  return sent_results_problem(fmt::format(
      "{} that the host copied to the device, neither input nor constant, {} with the arrays: the first is "
      "0x{:08x}, and 0x{:08x} with other values",
      count == 1 ? "a value" : fmt::format("{} values", count), count == 1 ? "changes" : "change",
      words[*first], other_words[*first]));
}

}  // namespace

bool host_can_follow_values(const CaseRun& run, const harness::Job& job) {
  if (!job.needs_launch || run.session.launches.empty()) return false;
  const auto& [commands, is_complete] = run.session.commands;
  if (!harness::has_device_inputs(job))
    return !is_complete || kLeastShare * command_bytes(commands) >= output_bytes(job) ||
           !places_of_own_values(run, job).empty() || is_assembled(run, job);
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
  if (auto found =
          diagnose_commands(run.session.commands, other.session.commands, harness::has_device_inputs(job)))
    return found;
  if (other.answer.outputs.size() != run.answer.outputs.size())
    return decision_problem("the program does not complete if the values in device memory are others");
  const bool are_on_host = is_on_host(job);
  if (are_on_host)
    if (auto found = diagnose_own_values(run, other, job)) return found;
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (job.outputs[i].is_copied || are_on_host)
      if (auto found = diagnose_choice(run, other, job, i)) return found;
  return std::nullopt;
}

void exclude_unsteady_words(CaseRun& run, const CaseRun& again, const harness::Job& job) {
  if (harness::has_device_inputs(job)) return;
  std::vector<HostCommand::Word*> unsteady;
  std::vector<HostCommand>& commands = run.session.commands.commands;
  const std::vector<HostCommand>& repeated = again.session.commands.commands;
  for (std::size_t i = 0; i < std::min(commands.size(), repeated.size()); ++i) {
    if (!is_comparable(commands[i], repeated[i])) return;
    for (std::size_t w = 0; w < commands[i].words.size(); ++w)
      if (commands[i].words[w].value != repeated[i].words[w].value) unsteady.push_back(&commands[i].words[w]);
  }
  if (have_room_for_results(unsteady.size(), job)) return;
  for (HostCommand::Word* one : unsteady) one->is_steady = false;
}

}  // namespace grader
