#include "report/comparison.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json_number.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

/// Compares only the cases that both runs contain.
bool other_inputs(const Provenance& before, const Provenance& now) {
  return before.seed_file != now.seed_file ||
         std::any_of(before.inputs.begin(), before.inputs.end(), [&](const auto& input) {
           const auto found = now.inputs.find(input.first);
           return found != now.inputs.end() && found->second.sha256 != input.second.sha256;
         });
}

std::string side_text(const std::optional<ClassRow>& row) {
  if (!row) return "none";
  if (row->status == ResultStatus::grader_fault) return "no grade";
  return fmt::format("{}/{} {}", points_text(row->score), points_text(row->max_score),
                     verdict_words(row->verdict));
}

std::optional<double> points(const std::optional<ClassRow>& row) {
  return row && row->status != ResultStatus::grader_fault ? std::optional(row->score) : std::nullopt;
}

Ink ink_of(const Change& change) {
  const auto before = points(change.before), now = points(change.now);
  if (!before || !now || *before == *now) return Ink::warning;
  return *now > *before ? Ink::good : Ink::bad;
}

std::string totals(const Comparison& comparison) {
  std::size_t up = 0, down = 0;
  for (const Change& change : comparison.changes) {
    up += ink_of(change) == Ink::good ? 1U : 0U;
    down += ink_of(change) == Ink::bad ? 1U : 0U;
  }
  return fmt::format("{} changed ({} up, {} down, {} other), {} unchanged", comparison.changes.size(), up,
                     down, comparison.changes.size() - up - down, comparison.same);
}

Json side_json(const std::optional<ClassRow>& row) {
  if (!row) return nullptr;
  return {{"status", to_string(row->status)},
          {"verdict", to_string(row->verdict)},
          {"score", json_number(row->score)},
          {"max_score", json_number(row->max_score + row->max_bonus)},
          {"code", row->code.empty() ? Json(nullptr) : Json(row->code)}};
}

}  // namespace

std::vector<std::string> reasons_between(const Result& before, const Result& now) {
  const Provenance &was = before.provenance, &is = now.provenance;
  std::vector<std::string> reasons;
  const auto add = [&](bool differs, const char* reason) {
    if (differs) reasons.emplace_back(reason);
  };
  add(was.source_sha256 != is.source_sha256, "source");
  add(was.rubric_sha256 != is.rubric_sha256, "rubric");
  add(other_inputs(was, is), "inputs");
  add(was.device != is.device || was.profile != is.profile || was.gpu != is.gpu ||
          was.clock_hz != is.clock_hz,
      "device");
  add(was.compiler != is.compiler, "compiler");
  add(was.grader_version != is.grader_version, "grader");
  add(was.time_limit_s != is.time_limit_s, "time limit");
  if (!reasons.empty()) return reasons;
  const auto no_grade = [](const Result& result) {
    return result.score.status == ResultStatus::grader_fault;
  };
  if (no_grade(before) || no_grade(now)) return {"fault"};
  return {is.device == "virtual" ? "unknown" : "measured again"};
}

std::optional<Change> change_between(const Result& before, const Result& now, const std::string& file) {
  const Score &was = before.score, &is = now.score;
  if (was.status == is.status && was.verdict == is.verdict && was.score == is.score &&
      was.max_score == is.max_score)
    return std::nullopt;
  return Change{now.submission, now.lab, class_row(before, file), class_row(now, file),
                reasons_between(before, now)};
}

std::string comparison_text(const Comparison& comparison, const Terminal& terminal) {
  if (comparison.changes.empty()) return fmt::format("no score differs in {} results\n", comparison.same);
  std::size_t id = 10, lab = 3, before = 6, now = 3;
  for (const Change& change : comparison.changes) {
    id = std::max(id, std::min(terminal.width / 4, columns(printable(change.submission, terminal.unicode))));
    lab = std::max(lab, columns(change.lab));
    before = std::max(before, side_text(change.before).size());
    now = std::max(now, side_text(change.now).size());
  }
  const bool wide = id + lab + before + now + 18 <= terminal.width;
  const auto line = [&](const std::string& name, const std::string& of_lab, const std::string& was,
                        const std::string& is, const std::string& why, Ink ink) {
    std::string text;
    const auto trim = [&] { text.resize(text.find_last_not_of(' ') + 1); };
    const auto cell = [&](const std::string& content, std::size_t size) {
      text += left(content, size, terminal) + "  ";
    };
    cell(printable(name, terminal.unicode), id);
    cell(of_lab, lab);
    if (!wide) trim(), text += "\n    ";  // a narrow terminal shows two lines per change
    cell(was, before);
    text += paint(terminal, ink, left(is, now, terminal)) + "  " + why;
    trim();
    return text + "\n";
  };
  std::string text = line("submission", "lab", "before", "now", "because of", Ink::strong);
  for (const Change& change : comparison.changes)
    text += line(change.submission, change.lab, side_text(change.before), side_text(change.now),
                 fmt::format("{}", fmt::join(change.reasons, ", ")), ink_of(change));
  return text + "\n" + totals(comparison) + "\n";
}

std::string comparison_json(const Comparison& comparison) {
  Json changes = Json::array();
  for (const Change& change : comparison.changes)
    changes.push_back({{"submission", change.submission},
                       {"lab", change.lab},
                       {"before", side_json(change.before)},
                       {"now", side_json(change.now)},
                       {"reasons", change.reasons}});
  const Json json = {
      {"schema", "warpgrade.diff/1"}, {"same", comparison.same}, {"changes", std::move(changes)}};
  return json_text(json, 2) + "\n";
}

}  // namespace grader
