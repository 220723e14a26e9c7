#include "report/result_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/no_pattern.hpp"
#include "report/approximations_json.hpp"
#include "report/diagnostic_json.hpp"
#include "report/gpu_record_json.hpp"
#include "report/hand_in_json.hpp"
#include "report/json_number.hpp"
#include "report/receipt_json.hpp"

namespace grader {

namespace {

/// Has a cause that was found in the values or by the checks of memory and races.
bool has_pattern(const Diagnostic& one) {
  constexpr std::array<std::string_view, 5> kPatterns{"WG-V02", "WG-V04", "WG-V05", "WG-V08", "WG-V09"};
  const bool is_leak = one.code == "WG-M09";
  return (one.code.starts_with("WG-M") && !is_leak) || one.code.starts_with("WG-R") ||
         std::find(kPatterns.begin(), kPatterns.end(), one.code) != kPatterns.end();
}

/// Whether `cause`, of another case of the same task or of the same array, is likely to explain `effect` and
/// says more: a refused launch or call, or any cause that was found, explains wrong values without a pattern;
/// a pattern of other values, small values that became 0 or an output of zeros; an overrun that has a line,
/// one that has none; a host that computes a part of the result, a call for a single element without a
/// launch. A case with one call that fails, too, shows that earlier calls are not the cause.
bool explains(const Diagnostic& cause, const Diagnostic& effect) {
  if (effect.code == "WG-H12") return cause.code == "WG-S27";
  if (effect.code == "WG-V01" && (cause.code == "WG-H07" || cause.code == "WG-H08")) return true;
  if (effect.code == "WG-V06")
    return cause.code.starts_with("WG-V") && cause.code != "WG-V06" && cause.code != "WG-V07" &&
           !has_no_pattern(cause);
  if (effect.code == "WG-V07" && effect.count == 1)  // a single element can be 0 by chance
    return cause.code == "WG-V04" || cause.code == "WG-V05" || cause.code == "WG-V08" ||
           cause.code == "WG-V09";
  if (suspects_earlier_calls(effect) && has_no_pattern(cause)) return !suspects_earlier_calls(cause);
  if (has_no_pattern(effect)) return has_pattern(cause);
  return effect.code == "WG-S29" && cause.where && (cause.code == "WG-H01" || cause.code == "WG-M01");
}

/// "out" of "3 of 64 elements of `out` are wrong"
std::string_view array_of(const Diagnostic& one) {
  const std::size_t begin = one.what.find('`') + 1;  // npos + 1 is 0
  return begin == 0 ? "" : std::string_view(one.what).substr(begin, one.what.find('`', begin) - begin);
}

/// The same array, in the same line.
bool stores_the_same(const Diagnostic& one, const Diagnostic& other) {
  return one.where && one.where == other.where && array_of(one) == array_of(other);
}

/// The failed checks of the task whose first diagnostic is counted.
template <class IsCounted>
std::ptrdiff_t count_in_task(const Score& score, const std::string& task, IsCounted is_counted) {
  return std::count_if(score.checks.begin(), score.checks.end(), [&](const Check& one) {
    return one.task == task && one.status == CheckStatus::fail && !one.diagnostics.empty() &&
           is_counted(one.diagnostics.front());
  });
}

/// Whether the pattern of values was found in enough of the task's cases with wrong values: in one of many,
/// it can fit by chance, as where the case has a single row or equal values.
bool is_found_often(const Check& check, const Score& score) {
  constexpr std::ptrdiff_t kShare = 4;  // one case in four
  const Diagnostic& pattern = check.diagnostics.front();
  if (!pattern.code.starts_with("WG-V") || pattern.code == "WG-V02") return true;  // V02 is no guess
  const auto count = [&](auto is_counted) { return count_in_task(score, check.task, is_counted); };
  return kShare * count([&](const Diagnostic& one) {
           return one.code == pattern.code && one.likely_cause == pattern.likely_cause;
         }) >=
         count([](const Diagnostic& one) { return one.code.starts_with("WG-V"); });
}

/// Results that look rounded or flushed to 0 in one case are not, if most cases have other wrong values.
bool outnumbers(const Diagnostic& other, const Diagnostic& effect, const Score& score,
                const std::string& task) {
  const auto is_other = [](const Diagnostic& one) {
    return one.code.starts_with("WG-V") && one.code != "WG-V06" && one.code != "WG-V07";
  };
  const auto is_rounded = [](const Diagnostic& one) { return one.code == "WG-V06"; };
  return is_rounded(effect) && is_other(other) &&
         count_in_task(score, task, is_other) > count_in_task(score, task, is_rounded);
}

}  // namespace

/// The diagnostic of the first failed check, or one that explains it.
const Check* leading_check(const Score& score) {
  const auto has_diagnostics = [](const Check& check) {
    return check.status == CheckStatus::fail && !check.diagnostics.empty();
  };
  const auto first = std::find_if(score.checks.begin(), score.checks.end(), has_diagnostics);
  if (first == score.checks.end()) return nullptr;
  const Diagnostic& effect = first->diagnostics.front();
  const auto cause = std::find_if(first, score.checks.end(), [&](const Check& check) {
    if (!has_diagnostics(check)) return false;
    const Diagnostic& one = check.diagnostics.front();
    if (!explains(one, effect) && !outnumbers(one, effect, score, first->task)) return false;
    if (!is_found_often(check, score)) return false;
    return check.task == first->task ||
           (has_no_pattern(effect) && stores_the_same(check.diagnostics.front(), effect));
  });
  if (cause != score.checks.end()) return &*cause;
  const auto is_of_values = [](const Diagnostic& one) { return one.code.starts_with("WG-V"); };
  const bool is_mostly_unknown =
      2 * count_in_task(score, first->task, has_no_pattern) > count_in_task(score, first->task, is_of_values);
  if (!is_mostly_unknown || is_found_often(*first, score)) return &*first;
  return &*std::find_if(first, score.checks.end(), [&](const Check& check) {
    return check.task == first->task && has_diagnostics(check) && has_no_pattern(check.diagnostics.front());
  });
}

bool is_same_mistake(const Diagnostic& one, const Diagnostic& other) {
  return one.code == other.code && one.where == other.where;
}

const Diagnostic* first_diagnostic(const Score& score) {
  const Check* leading = leading_check(score);
  return leading == nullptr ? nullptr : &leading->diagnostics.front();
}

std::string device_settings(const Provenance& how) {
  return how.device + ", " + how.profile + (how.gpu.empty() ? "" : ", " + how.gpu);
}

namespace {

using Json = nlohmann::ordered_json;

Json optional_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// All available points; with bonus tasks, also the part that they give.
void add_maximum(Json& json, double max_score, double max_bonus) {
  json["max_score"] = json_number(max_score + max_bonus);
  if (max_bonus > 0) json["max_bonus"] = json_number(max_bonus);
}

Json to_json(const Check& check) {
  Json diagnostics = Json::array();
  for (const Diagnostic& diagnostic : check.diagnostics) diagnostics.push_back(to_json(diagnostic));
  Json json = {{"id", check.id},
               {"task", check.task},
               {"status", to_string(check.status)},
               {"points", json_number(check.points)},
               {"max_points", json_number(check.max_points)},
               {"verdict", check.verdict ? Json(to_string(*check.verdict)) : Json(nullptr)},
               {"skip_reason", optional_text(check.skip_reason)}};
  if (check.is_bonus) json["bonus"] = true;
  if (!check.task_title.empty()) json["task_title"] = check.task_title;
  if (check.devices) json["device"] = to_string(*check.devices);
  if (check.cap) json["cap"] = {{"share", json_number(check.cap->share)}, {"task", check.cap->task}};
  if (check.visibility != Visibility::visible) json["visibility"] = to_string(check.visibility);
  json["diagnostics"] = std::move(diagnostics);
  return json;
}

Json to_json(const Performance& performance) {
  Json interval = nullptr;
  if (performance.interval)
    interval = {json_number(performance.interval->first), json_number(performance.interval->second)};
  Json json = {
      {"case", performance.case_name},
      {"baseline_s", json_number(performance.baseline_s)},
      {"student_s", json_number(performance.student_s)},
      {"reference_s", performance.reference_s ? json_number(*performance.reference_s) : Json(nullptr)},
      {"speedup", json_number(performance.speedup)},
      {"threshold",
       {{"full", json_number(performance.threshold.full)},
        {"half", json_number(performance.threshold.half)},
        {"solution",
         performance.threshold.solution ? json_number(*performance.threshold.solution) : Json(nullptr)}}},
      {"interval", std::move(interval)},
      {"verdict", to_string(performance.verdict)}};
  if (performance.gpu) json["gpu"] = gpu_record_json(*performance.gpu);
  return json;
}

Json to_json(const Provenance& provenance) {
  Json inputs = Json::object();
  for (const auto& [name, input] : provenance.inputs)
    inputs[name] = {{"seed", input.seed ? Json(*input.seed) : Json(nullptr)},
                    {"sha256", input.sha256},
                    {"facts_sha256", input.facts_sha256}};
  Json json = {{"grader_version", provenance.grader_version},
               {"rubric_sha256", provenance.rubric_sha256},
               {"facts_sha256", provenance.facts_sha256},
               {"source_sha256", optional_text(provenance.source_sha256)},
               {"inputs", std::move(inputs)},
               {"seed_file", optional_text(provenance.seed_file)},
               {"front_end", provenance.front_end},
               {"compiler", provenance.compiler},
               {"device", provenance.device},
               {"profile", provenance.profile}};
  if (!provenance.gpu.empty()) json["gpu"] = provenance.gpu;
  json.update({{"clock_hz", provenance.clock_hz ? json_number(*provenance.clock_hz) : Json(nullptr)},
               {"time_limit_s", json_number(provenance.time_limit_s)},
               {"sandbox", provenance.sandbox},
               {"attempts", provenance.attempts},
               {"hung_case", optional_text(provenance.hung_case)},
               {"started", provenance.started},
               {"finished", provenance.finished}});
  return json;
}

Json to_json(const QuestionsOutcome& questions) {
  Json answers = Json::array();
  for (const GradedAnswer& one : questions.answers)
    answers.push_back({{"id", one.id},
                       {"status", to_string(one.status)},
                       {"points", json_number(one.points)},
                       {"max_points", json_number(one.max_points)}});
  return {{"name", optional_text(questions.name)},
          {"points", json_number(questions.points())},
          {"max_points", json_number(questions.max_points())},
          {"problem", optional_text(questions.problem)},
          {"answers_sha256", optional_text(questions.answers_sha256)},
          {"answers", std::move(answers)}};
}

Json receipt_json_of(const Result& result) {
  Json json = receipt_facts_json(*result.receipt);
  if (!result.receipt->problem.empty()) return json;
  const auto agrees = result.receipt->agrees_with(result.score.score, result.score.max_score);
  json["score_agrees"] =
      agrees && result.score.status == ResultStatus::graded ? Json(*agrees) : Json(nullptr);
  return json;
}

Json to_json(const ClassRow& row) {
  Json json = {{"submission", row.submission},
               {"lab", row.lab},
               {"status", to_string(row.status)},
               {"verdict", to_string(row.verdict)},
               {"score", json_number(row.score)}};
  add_maximum(json, row.max_score, row.max_bonus);
  json["code"] = optional_text(row.code);
  json["what"] = optional_text(row.what);
  json["file"] = row.file;
  if (row.questions) json["questions"] = {{"right", row.questions->right}, {"count", row.questions->count}};
  return json;
}

std::string dump(const Json& json) { return json_text(json, 2) + "\n"; }

}  // namespace

std::string result_json(const Result& result) {
  Json checks = Json::array(), performance = Json::array(), counters = Json::object();
  for (const Check& check : result.score.checks) checks.push_back(to_json(check));
  for (const Performance& one : result.score.performance) performance.push_back(to_json(one));
  for (const auto& [case_name, values] : result.score.counters) {
    Json& of_case = counters[case_name] = Json::object();
    for (const auto& [name, value] : values) of_case[name] = json_number(value);
  }
  Json json = {{"schema", "warpgrade.result/1"},
               {"submission", result.submission},
               {"lab", result.lab},
               {"status", to_string(result.score.status)},
               {"verdict", to_string(result.score.verdict)},
               {"score", json_number(result.score.score)}};
  add_maximum(json, result.score.max_score, bonus_of(result.score).max_points);
  json["checks"] = std::move(checks);
  json["performance"] = std::move(performance);
  json["counters"] = std::move(counters);
  if (result.score.inexact) json["inexact_kernels"] = to_json(*result.score.inexact);
  if (result.receipt) json["receipt"] = receipt_json_of(result);
  json["provenance"] = to_json(result.provenance);
  if (result.questions) json["questions"] = to_json(*result.questions);
  return dump(json);
}

ClassRow class_row(const Result& result, std::string file) {
  ClassRow row{result.submission,
               result.lab,
               result.score.status,
               result.score.verdict,
               result.score.score,
               result.score.max_score,
               {},
               {},
               std::move(file)};
  const Diagnostic* first = first_diagnostic(result.score);
  if (first != nullptr && result.score.verdict != Verdict::accepted) {  // a bonus task may be left undone
    row.code = first->code;
    row.what = first->what;
  }
  if (result.questions) {
    row.questions = result.questions->tally();
    if (result.questions->is_refused()) row.refused_answers = result.questions->problem;
  }
  row.max_bonus = bonus_of(result.score).max_points;
  row.sandboxed = !result.provenance.sandbox.starts_with("none");
  return row;
}

std::string summary_json(const ClassSummary& summary) {
  Json statuses = {{"graded", 0}, {"rejected", 0}, {"grader_fault", 0}};
  Json verdicts = Json::object(), rows = Json::array();
  std::map<std::string, int> by_verdict;
  for (const ClassRow& row : summary.rows) {
    Json& count = statuses[std::string(to_string(row.status))];
    count = count.get<int>() + 1;
    ++by_verdict[std::string(to_string(row.verdict))];
    Json one = to_json(row);
    if (const auto known = summary.hand_ins.find(row.submission); known != summary.hand_ins.end())
      if (Json identity = identity_json(known->second); !identity.is_null())
        one["identity"] = std::move(identity);
    rows.push_back(std::move(one));
  }
  const auto unboxed = std::count_if(summary.rows.begin(), summary.rows.end(),
                                     [](const ClassRow& row) { return !row.sandboxed; });
  for (const auto& [verdict, count] : by_verdict) verdicts[verdict] = count;
  Json all = {{"schema", "warpgrade.summary/1"},    {"labs", summary.labs},
              {"interrupted", summary.interrupted}, {"expected", summary.expected_rows},
              {"statuses", std::move(statuses)},    {"verdicts", std::move(verdicts)},
              {"results", std::move(rows)}};
  if (Json hand_ins = hand_ins_json(summary.hand_ins); !hand_ins.empty())
    all["submissions"] = std::move(hand_ins);
  if (unboxed > 0) all["without_sandbox"] = unboxed;
  return dump(all);
}

}  // namespace grader
