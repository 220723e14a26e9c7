#include "report/result_reader.hpp"

#include <array>
#include <limits>

#include "report/approximations_json.hpp"
#include "report/gpu_record_json.hpp"
#include "report/receipt_json.hpp"

namespace grader {
namespace {

constexpr std::array kResultStatuses = {ResultStatus::graded, ResultStatus::rejected,
                                        ResultStatus::grader_fault};
constexpr std::array kCheckStatuses = {CheckStatus::pass, CheckStatus::fail, CheckStatus::skip};
constexpr std::array kSpeedVerdicts = {SpeedVerdict::pass, SpeedVerdict::fail, SpeedVerdict::too_close,
                                       SpeedVerdict::invalid};
constexpr std::array kVerdicts = {Verdict::accepted,      Verdict::compile_error, Verdict::compile_limit,
                                  Verdict::runtime_error, Verdict::time_limit,    Verdict::memory_limit,
                                  Verdict::output_limit,  Verdict::wrong_answer,  Verdict::too_slow,
                                  Verdict::rejected,      Verdict::grader_fault};

void require_schema(const JsonNode& file, const std::string& schema) {
  const JsonNode found = file.at("schema");
  if (found.text() != schema) found.refuse_value("\"" + schema + "\", the version that this warpgrade reads");
}

std::string text_or_null(const JsonNode& parent, const std::string& key) {
  const JsonNode node = parent.at(key);
  return node.is_null() ? "" : node.any_text();
}

/// Results of earlier versions lack some keys.
std::string text_if_there(const JsonNode& parent, const std::string& key) {
  return parent.find(key) ? text_or_null(parent, key) : "";
}

std::optional<double> number_or_null(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.number());
}

double points(const JsonNode& node) {
  if (node.number() < 0) node.refuse_value("a number of points");
  return node.number();
}

Diagnostic read_diagnostic(const JsonNode& node) {
  Diagnostic read;
  read.code = node.at("code").text();
  read.severity = severity_named(node.at("severity").one_of({"error", "warning", "note"}));
  read.what = node.at("what").any_text();
  if (const JsonNode where = node.at("where"); !where.is_null())
    read.where =
        SourceLocation{where.at("file").any_text(),
                       static_cast<int>(where.at("line").integer(0, std::numeric_limits<int>::max()))};
  read.source_line = text_or_null(node, "source_line");
  read.first = text_or_null(node, "first");
  read.count = static_cast<std::uint64_t>(node.at("count").integer(0, INT64_MAX));
  read.likely_cause = text_or_null(node, "likely_cause");
  read.next_step = text_or_null(node, "try");
  return read;
}

Check read_check(const JsonNode& node) {
  Check read;
  read.id = node.at("id").text();
  read.task = node.at("task").any_text();
  read.task_title = text_if_there(node, "task_title");
  read.status = node.at("status").word_of(kCheckStatuses);
  read.points = points(node.at("points"));
  read.max_points = points(node.at("max_points"));
  read.is_bonus = node.find("bonus").has_value();
  if (const auto devices = node.find("device")) read.devices = devices->word_of(kDevices);
  if (const auto cap = node.find("cap")) read.cap = Cap{cap->at("share").number(), cap->at("task").text()};
  if (const JsonNode verdict = node.at("verdict"); !verdict.is_null())
    read.verdict = verdict.word_of(kVerdicts);
  read.skip_reason = text_or_null(node, "skip_reason");
  if (const auto visibility = node.find("visibility")) read.visibility = visibility->word_of(kVisibilities);
  for (const JsonNode& diagnostic : node.at("diagnostics").elements())
    read.diagnostics.push_back(read_diagnostic(diagnostic));
  return read;
}

/// Times that JSON cannot represent are read as NaN.
double measured(const JsonNode& node) {
  return number_or_null(node).value_or(std::numeric_limits<double>::quiet_NaN());
}

Performance read_performance(const JsonNode& node) {
  Performance read;
  read.case_name = node.at("case").text();
  read.baseline_s = measured(node.at("baseline_s"));
  read.student_s = measured(node.at("student_s"));
  read.reference_s = number_or_null(node.at("reference_s"));
  read.speedup = measured(node.at("speedup"));
  const JsonNode threshold = node.at("threshold");
  read.threshold.full = threshold.at("full").number();
  read.threshold.half = threshold.at("half").number();
  if (const auto solution = threshold.find("solution")) read.threshold.solution = number_or_null(*solution);
  if (const JsonNode interval = node.at("interval"); !interval.is_null()) {
    const auto ends = interval.elements();
    if (ends.size() != 2) interval.refuse_value("two numbers");
    read.interval = {measured(ends[0]), measured(ends[1])};
  }
  read.verdict = node.at("verdict").word_of(kSpeedVerdicts);
  if (const auto gpu = node.find("gpu")) read.gpu = read_gpu_record(*gpu);
  return read;
}

Provenance read_provenance(const JsonNode& node) {
  Provenance read;
  read.grader_version = node.at("grader_version").any_text();
  read.rubric_sha256 = node.at("rubric_sha256").any_text();
  read.facts_sha256 = text_if_there(node, "facts_sha256");
  read.source_sha256 = text_or_null(node, "source_sha256");
  for (const auto& [case_name, input] : node.at("inputs").members()) {
    InputRecord record;
    if (const JsonNode seed = input.at("seed"); !seed.is_null())
      record.seed = static_cast<std::uint64_t>(seed.integer(0, INT64_MAX));
    record.sha256 = input.at("sha256").any_text();
    record.facts_sha256 = text_if_there(input, "facts_sha256");
    read.inputs[case_name] = record;
  }
  read.seed_file = text_or_null(node, "seed_file");
  read.front_end = node.at("front_end").any_text();
  read.compiler = node.at("compiler").any_text();
  read.device = node.at("device").any_text();
  read.profile = node.at("profile").any_text();
  read.gpu = text_if_there(node, "gpu");
  read.clock_hz = number_or_null(node.at("clock_hz"));
  read.time_limit_s = node.at("time_limit_s").number();
  read.sandbox = node.at("sandbox").any_text();
  read.attempts = static_cast<int>(node.at("attempts").integer(1, INT32_MAX));
  read.hung_case = text_if_there(node, "hung_case");
  read.started = node.at("started").any_text();
  read.finished = node.at("finished").any_text();
  return read;
}

QuestionsOutcome read_questions_outcome(const JsonNode& node) {
  QuestionsOutcome read;
  read.name = text_or_null(node, "name");
  read.problem = text_or_null(node, "problem");
  read.answers_sha256 = text_or_null(node, "answers_sha256");
  for (const JsonNode& one : node.at("answers").elements())
    read.answers.push_back({one.at("id").name(), one.at("status").word_of(kAnswerStatuses),
                            points(one.at("points")), points(one.at("max_points"))});
  return read;
}

double max_bonus(const JsonNode& node) {
  const auto bonus = node.find("max_bonus");
  return bonus ? points(*bonus) : 0;
}

ClassRow read_row(const JsonNode& node) {
  ClassRow row;
  row.submission = node.at("submission").any_text();
  row.lab = node.at("lab").name();
  row.status = node.at("status").word_of(kResultStatuses);
  row.verdict = node.at("verdict").word_of(kVerdicts);
  row.score = points(node.at("score"));
  row.max_bonus = max_bonus(node);
  row.max_score = points(node.at("max_score")) - row.max_bonus;
  row.code = text_or_null(node, "code");
  row.what = text_or_null(node, "what");
  row.file = node.at("file").text();
  if (const auto questions = node.find("questions"))
    row.questions = QuestionsTally{static_cast<std::size_t>(questions->at("right").integer(0, INT32_MAX)),
                                   static_cast<std::size_t>(questions->at("count").integer(0, INT32_MAX))};
  return row;
}

std::string text_at(const JsonNode& node, const std::string& key) {
  const auto found = node.find(key);
  return found && !found->is_null() ? found->any_text() : "";
}

std::vector<std::string> texts_at(const JsonNode& node, const std::string& key) {
  std::vector<std::string> texts;
  if (const auto list = node.find(key))
    for (const JsonNode& one : list->elements()) texts.push_back(one.any_text());
  return texts;
}

HandIn read_hand_in(const JsonNode& node) {
  HandIn read;
  if (const auto people = node.find("people"))
    for (const JsonNode& person : people->elements()) {
      read.people.push_back(read_identity(person));
      read.lms = text_at(person, "lms");
    }
  if (const auto late = node.find("late")) read.late = late->boolean();
  read.submitted_at = text_at(node, "submitted_at");
  read.not_taken = texts_at(node, "not_taken");
  if (const auto labs = node.find("same_bytes"))
    for (const auto& [lab, others] : labs->members()) read.same_bytes[lab] = texts_at(*labs, lab);
  read.notes = texts_at(node, "notes");
  return read;
}

}  // namespace

Identity read_identity(const JsonNode& node) {
  return {.name = text_at(node, "name"),
          .email = text_at(node, "email"),
          .lms_id = text_at(node, "lms_id"),
          .sis_id = text_at(node, "sis_id")};
}

Result read_result(const JsonNode& file) {
  require_schema(file, "warpgrade.result/1");
  Result read;
  read.submission = file.at("submission").any_text();
  read.lab = file.at("lab").name();
  read.score.status = file.at("status").word_of(kResultStatuses);
  read.score.verdict = file.at("verdict").word_of(kVerdicts);
  read.score.score = points(file.at("score"));
  read.score.max_score = points(file.at("max_score")) - max_bonus(file);
  for (const JsonNode& check : file.at("checks").elements()) read.score.checks.push_back(read_check(check));
  for (const JsonNode& one : file.at("performance").elements())
    read.score.performance.push_back(read_performance(one));
  for (const auto& [case_name, counters] : file.at("counters").members())
    for (const auto& [counter, value] : counters.members())
      read.score.counters[case_name][counter] = measured(value);
  if (const auto kernels = file.find("inexact_kernels")) read.score.inexact = read_inexact_kernels(*kernels);
  if (const auto receipt = file.find("receipt")) read.receipt = read_receipt_facts(*receipt);
  read.provenance = read_provenance(file.at("provenance"));
  if (const auto questions = file.find("questions")) read.questions = read_questions_outcome(*questions);
  return read;
}

Expected<Result, std::string> parse_result(const std::string& text) {
  try {
    const auto json = parse_json(text);
    if (!json) return Unexpected{json.error().what};
    return read_result(JsonNode(*json));
  } catch (const JsonProblem& problem) {
    return Unexpected{std::string(problem.what())};
  }
}

ClassSummary read_summary(const JsonNode& file) {
  require_schema(file, "warpgrade.summary/1");
  ClassSummary read;
  for (const JsonNode& lab : file.at("labs").elements()) read.labs.push_back(lab.name());
  read.interrupted = file.at("interrupted").boolean();
  read.expected_rows = static_cast<std::size_t>(file.at("expected").integer(0, INT64_MAX));
  for (const JsonNode& row : file.at("results").elements()) read.rows.push_back(read_row(row));
  if (const auto list = file.find("submissions"))
    for (const JsonNode& one : list->elements())
      read.hand_ins[one.at("submission").any_text()] = read_hand_in(one);
  return read;
}

}  // namespace grader
