#include "slurm/answers.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"

namespace grader::slurm {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator,
                                    std::size_t most = std::string::npos) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_one_of(std::string_view word, const auto& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TaskReport::Life life_of(std::string_view state, std::string_view reason) {
  using Life = TaskReport::Life;
  constexpr std::array<std::string_view, 11> kEnded = {
      "BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE", "FAILED", "LAUNCH_FAILED",
      "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "REVOKED",  "TIMEOUT"};
  constexpr std::array<std::string_view, 3> kStuck = {"COMPLETING", "REQUEUE_HOLD", "SPECIAL_EXIT"};
  constexpr std::array<std::string_view, 4> kWaiting = {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED"};
  // "launch failed requeued held": Slurm holds a task that could not be started until an operator acts.
  const bool held = reason.find("requeued held") != std::string_view::npos ||
                    reason.find("requeued_held") != std::string_view::npos;
  if (is_one_of(state, kEnded)) return Life::ended;
  if (held || is_one_of(state, kStuck)) return Life::stuck;
  // An unknown state, from a later release of Slurm, counts as alive: waiting in vain costs less than grading
  // twice.
  return is_one_of(state, kWaiting) ? Life::waiting : Life::running;
}

std::optional<TaskReport> read_task(std::string_view line, std::string_view prefix) {
  constexpr std::size_t kFields = 6;  // as in the format requested in commands.cpp
  const auto fields = split(line, '|', kFields);
  if (fields.size() != kFields || !fields[5].starts_with(prefix)) return std::nullopt;
  const auto array = number(fields[5].substr(prefix.size())), index = number(fields[1]);
  if (!array || !index || !number(fields[0])) return std::nullopt;
  return TaskReport{.job = std::string(fields[0]),
                    .array = *array,
                    .index = *index,
                    .life = life_of(fields[2], fields[4]),
                    .state = std::string(fields[2]),
                    .node = std::string(fields[3]),
                    .reason = std::string(fields[4])};
}

}  // namespace

std::optional<std::string> read_job_id(std::string_view answer) {
  for (const std::string_view line : split(answer, '\n')) {
    const std::string_view id = trimmed(line.substr(0, line.find(';')));
    if (number(id)) return std::string(id);
  }
  return std::nullopt;
}

std::vector<TaskReport> read_tasks(std::string_view answer, std::string_view prefix) {
  std::vector<TaskReport> tasks;
  for (const std::string_view line : split(answer, '\n'))
    if (auto task = read_task(trimmed(line), prefix)) tasks.push_back(*std::move(task));
  return tasks;
}

std::vector<OutOfService> read_out_of_service(std::string_view answer) {
  std::vector<OutOfService> all;
  for (const std::string_view line : split(answer, '\n'))
    if (const auto sides = split(line, '|', 2); sides.size() == 2)
      all.push_back({std::string(trimmed(sides[0])), std::string(trimmed(sides[1]))});
  return all;
}

std::size_t read_max_array_size(std::string_view answer) {
  for (const std::string_view line : split(answer, '\n')) {
    const auto sides = split(line, '=', 2);
    if (sides.size() == 2 && trimmed(sides[0]) == "MaxArraySize")
      return number(trimmed(sides[1])).value_or(kDefaultMaxArraySize);
  }
  return kDefaultMaxArraySize;
}

Trouble trouble_of(std::string_view answer) {
  // Messages of slurm_errno.c for temporary failures.
  constexpr std::array<std::string_view, 10> kPassing = {"Unable to contact slurm controller",
                                                         "Unable to contact",
                                                         "Socket timed out",
                                                         "Zero Bytes were transmitted",
                                                         "Connection refused",
                                                         "Connection timed out",
                                                         "Connection reset",
                                                         "temporarily unable to",
                                                         "Resource temporarily unavailable",
                                                         "in standby mode"};
  const bool passes = std::any_of(kPassing.begin(), kPassing.end(), [&](std::string_view text) {
    return answer.find(text) != std::string_view::npos;
  });
  return passes ? Trouble::unreachable : Trouble::refused;
}

std::string complaint_of(std::string_view answer) {
  constexpr std::string_view kError = "error: ";
  const auto lines = split(answer, '\n');
  for (const std::string_view line : lines)
    if (const std::size_t start = line.rfind(kError); start != std::string_view::npos)
      return std::string(trimmed(line.substr(start + kError.size())));
  return std::string(trimmed(lines.front()));
}

}  // namespace grader::slurm
