// From result.json back to a Result. Files that the grader wrote itself are read, but a disk, a person or a
// half-copied folder may have changed them: whatever is missing or of another type is an error.
#include <limits>

#include <nlohmann/json.hpp>

#include "report/diagnostic_json.hpp"
#include "report/result_json.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

/// The value whose to_string() is `word`. Requires: E counts from 0 to `last`.
template <class E>
E value_of(const Json& word, E last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (to_string(static_cast<E>(i)) == word.get<std::string>()) return static_cast<E>(i);
  throw std::invalid_argument("the word " + word.dump() + " is not known");
}

Verdict verdict_from(const Json& word) { return value_of(word, Verdict::grader_fault); }

std::string text_from(const Json& json) { return json.is_null() ? "" : json.get<std::string>(); }

/// What is not finite was written as null.
double number_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::optional<double> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Check check_from(const Json& json) {
  Check check;
  check.id = json.at("id").get<std::string>();
  check.task = json.at("task").get<std::string>();
  check.status = value_of(json.at("status"), CheckStatus::skip);
  check.points = number_from(json.at("points"));
  check.max_points = number_from(json.at("max_points"));
  if (!json.at("verdict").is_null()) check.verdict = verdict_from(json.at("verdict"));
  check.skip_reason = text_from(json.at("skip_reason"));
  for (const Json& diagnostic : json.at("diagnostics"))
    check.diagnostics.push_back(diagnostic_from_json(diagnostic));
  return check;
}

Performance performance_from(const Json& json) {
  Performance performance;
  performance.case_name = json.at("case").get<std::string>();
  performance.baseline_s = number_from(json.at("baseline_s"));
  performance.student_s = number_from(json.at("student_s"));
  performance.reference_s = optional_number(json.at("reference_s"));
  performance.speedup = number_from(json.at("speedup"));
  const Json& threshold = json.at("threshold");
  performance.threshold = {number_from(threshold.at("full")), number_from(threshold.at("half")),
                           optional_number(threshold.at("solution"))};
  if (const Json& interval = json.at("interval"); !interval.is_null())
    performance.interval = {number_from(interval.at(0)), number_from(interval.at(1))};
  performance.verdict = value_of(json.at("verdict"), SpeedVerdict::invalid);
  return performance;
}

InputRecord input_from(const Json& json) {
  InputRecord input;
  if (!json.at("seed").is_null()) input.seed = json.at("seed").get<std::uint64_t>();
  input.sha256 = json.at("sha256").get<std::string>();
  return input;
}

Provenance provenance_from(const Json& json) {
  Provenance how;
  how.grader_version = json.at("grader_version").get<std::string>();
  how.rubric_sha256 = json.at("rubric_sha256").get<std::string>();
  how.source_sha256 = text_from(json.at("source_sha256"));
  for (const auto& [name, input] : json.at("inputs").items()) how.inputs[name] = input_from(input);
  how.seed_file = text_from(json.at("seed_file"));
  how.front_end = json.at("front_end").get<std::string>();
  how.compiler = json.at("compiler").get<std::string>();
  how.device = json.at("device").get<std::string>();
  how.profile = json.at("profile").get<std::string>();
  how.clock_hz = optional_number(json.at("clock_hz"));
  how.time_limit_s = json.at("time_limit_s").get<double>();
  how.sandbox = json.at("sandbox").get<std::string>();
  how.attempts = json.at("attempts").get<int>();
  how.started = json.at("started").get<std::string>();
  how.finished = json.at("finished").get<std::string>();
  return how;
}

Score score_from(const Json& json) {
  Score score;
  score.status = value_of(json.at("status"), ResultStatus::grader_fault);
  score.verdict = verdict_from(json.at("verdict"));
  score.score = number_from(json.at("score"));
  score.max_score = number_from(json.at("max_score"));
  for (const Json& check : json.at("checks")) score.checks.push_back(check_from(check));
  for (const Json& one : json.at("performance")) score.performance.push_back(performance_from(one));
  for (const auto& [case_name, values] : json.at("counters").items())
    for (const auto& [name, value] : values.items()) score.counters[case_name][name] = number_from(value);
  return score;
}

}  // namespace

Expected<Result, std::string> parse_result(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "warpgrade.result/1")
      return Unexpected{std::string("its schema is not \"warpgrade.result/1\"")};
    return Result{json.at("submission").get<std::string>(), json.at("lab").get<std::string>(),
                  score_from(json), provenance_from(json.at("provenance"))};
  } catch (const std::exception& error) {
    return Unexpected{std::string(error.what())};
  }
}

}  // namespace grader
