#include "course/attempts.hpp"

#include <algorithm>
#include <cmath>

#include "lab/json_reader.hpp"

namespace grader::course {
namespace {

Instant instant_at(const JsonNode& node) {
  const auto written = read_time(node.any_text());
  const auto at = written ? written->in(TimeZone()) : std::nullopt;
  if (!at) node.refuse_value("a time");
  return *at;
}

Attempt read_attempt(const JsonNode& node) {
  Attempt attempt{instant_at(node.at("submission_time"))};
  if (const auto failed = node.find("autograder_error"); failed && !failed->is_null())
    attempt.grader_failed = failed->boolean();
  const auto score = node.find("score");
  if (!score || score->is_null())
    attempt.grader_failed = true;  // no result
  else
    attempt.points = std::max(0.0, score->number());
  return attempt;
}

AttemptRecord read_record(const JsonNode& file) {
  AttemptRecord record{instant_at(file.at("created_at")), {}};
  const auto earlier = file.find("previous_submissions");
  if (!earlier || earlier->is_null()) return record;
  for (const JsonNode& node : earlier->elements()) record.earlier.push_back(read_attempt(node));
  return record;
}

}  // namespace

AttemptDecision decide(const AttemptRecord& record, const AttemptPolicy& policy) {
  std::vector<Attempt> attempts;
  for (const Attempt& one : record.earlier)
    if (!one.grader_failed && one.at <= record.now) attempts.push_back(one);
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const Attempt& one, const Attempt& other) { return one.at < other.at; });
  std::vector<Attempt> hidden_runs;
  const auto used_before = [&](Instant at) {
    return static_cast<int>(std::count_if(hidden_runs.begin(), hidden_runs.end(), [&](const Attempt& one) {
      return one.at > at - std::chrono::hours(policy.hours);
    }));
  };
  for (const Attempt& one : attempts)
    if (used_before(one.at) < policy.hidden_runs) hidden_runs.push_back(one);

  AttemptDecision decision;
  decision.used = used_before(record.now);
  decision.is_hidden_run = decision.used < policy.hidden_runs;
  if (!hidden_runs.empty()) decision.points = hidden_runs.back().points;
  if (!decision.is_hidden_run)
    decision.next_allowed =
        hidden_runs[hidden_runs.size() - static_cast<std::size_t>(policy.hidden_runs)].at +
        std::chrono::hours(policy.hours);
  return decision;
}

Expected<AttemptRecord, std::string> read_gradescope_attempts(const std::string& json) {
  try {
    const auto document = parse_json(json);
    if (!document) return Unexpected{"is not JSON: " + document.error().what};
    return read_record(JsonNode(*document));
  } catch (const JsonProblem& problem) {
    return Unexpected{std::string(problem.what())};
  }
}

}  // namespace grader::course
