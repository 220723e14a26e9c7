#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "lab/counter_names.hpp"
#include "report/check_text.hpp"
#include "report/numbers.hpp"
#include "score/missed_limit.hpp"
#include "score/speed.hpp"

namespace grader {
namespace {

/// A name and its cells; a row without cells is a heading.
struct Row {
  std::string name;
  std::vector<std::string> cells;
  std::string verdict;
};

/// Of an objective, or of a counter next to one.
template <class Limited>
std::string limit_text(const Limited& objective) {
  return bounds_text(objective.counter, objective.at_least, objective.at_most);
}

std::string verdict_of(const Score& score, const std::string& check_id) {
  for (const Check& check : score.checks)
    if (check.id == check_id)
      return check.status == CheckStatus::fail ? "FAIL" : std::string(to_string(check.status));
  return {};
}

std::optional<double> counter_of(const Score& score, const std::string& case_name,
                                 const std::string& counter) {
  const auto of_case = score.counters.find(case_name);
  if (of_case == score.counters.end()) return std::nullopt;
  const auto value = of_case->second.find(counter);
  return value == of_case->second.end() ? std::nullopt : std::optional(value->second);
}

/// "256–1024" where launches differ in their configuration.
std::string value_or_range(double value, const Score& score, const std::string& case_name,
                           const std::string& counter) {
  const auto most = counter_of(score, case_name, kMostPrefix + counter);
  return counter_text(counter, value) + (most && *most != value ? "–" + counter_text(counter, *most) : "");
}

/// The row of a failed check that has the verdict is that of the counter that misses its limit, or an extra
/// one.
std::string verdict_of_row(const std::string& verdict, const Objective& objective, const Score& score,
                           const std::string& counter) {
  const bool is_own = counter == objective.counter;
  const auto missed = verdict == "FAIL" ? missed_limit(objective, score.counters) : std::nullopt;
  if (!missed) return is_own ? (verdict == "FAIL" ? "pass" : verdict) : "";
  if (missed->case_name != objective.case_name) return is_own ? "pass" : "";
  if (missed->limited.counter == counter) return verdict;
  return is_own ? "pass" : "";
}

/// The row that shows why an objective fails whose own case meets all limits: another case misses one, or
/// another objective does, without which this one does not count.
std::optional<Row> row_elsewhere(const std::string& verdict, const Objective& objective, const Score& score) {
  if (verdict != "FAIL") return std::nullopt;
  const auto missed = missed_limit(objective, score.counters);
  if (!missed) return Row{"    counts only with the others", {"", "", "", ""}, verdict};
  if (missed->case_name == objective.case_name) return std::nullopt;
  const ShownCounter& limited = missed->limited;
  return Row{"    in " + missed->case_name,
             {counter_text(limited.counter, missed->value), limit_text(limited),
              counter_text(limited.counter, limited.naive), counter_text(limited.counter, limited.solution)},
             verdict};
}

/// A counter that only guards its objective interests the reader once it misses its limit.
bool is_shown(const ShownCounter& related, const std::string& verdict) {
  return verdict == "FAIL" || (!related.at_least && !related.at_most);
}

/// One objective with the counters next to it.
std::vector<Row> rows_of(const Objective& objective, const std::string& verdict, const Score& score) {
  std::vector<Row> rows;
  const auto add = [&](const auto& limited, const std::string& row_verdict) {
    const auto value = counter_of(score, objective.case_name, limited.counter);
    if (!value) return;
    rows.push_back(
        {"  " + counter_words(limited.counter),
         {value_or_range(*value, score, objective.case_name, limited.counter), limit_text(limited),
          counter_text(limited.counter, limited.naive), counter_text(limited.counter, limited.solution)},
         row_verdict});
  };
  add(objective, verdict_of_row(verdict, objective, score, objective.counter));
  if (rows.empty()) return rows;
  if (auto row = row_elsewhere(verdict, objective, score)) rows.push_back(*std::move(row));
  for (const ShownCounter& related : objective.related) {
    const std::string of_row = verdict_of_row(verdict, objective, score, related.counter);
    if (is_shown(related, of_row)) add(related, of_row);
  }
  return rows;
}

/// Grouped by case, in the order of lab.json.
std::vector<Row> objective_rows(const Lab& lab, const Score& score) {
  std::vector<Row> rows;
  std::string group;
  for (const Task& task : lab.tasks) {
    for (const Objective& objective : task.objectives) {
      const std::string& case_name = objective.case_name;
      const std::string verdict = verdict_of(score, task.id + "/" + objective.counter + "@" + case_name);
      const std::vector<Row> added = rows_of(objective, verdict, score);
      if (added.empty()) continue;
      if (group != case_name) rows.push_back({group = case_name, {}, ""});
      rows.insert(rows.end(), added.begin(), added.end());
    }
  }
  return rows;
}

std::string speed_verdict(const Performance& speed) {
  const double counted = speed_fraction(credited_speedup(speed), speed.threshold);
  if (speed.verdict == SpeedVerdict::too_close)
    return counted == 1 ? "close, full points" : counted > 0 ? "close, part" : "close, no points";
  if (speed.verdict == SpeedVerdict::fail) return counted > 0 ? "part" : "FAIL";
  return std::string(to_string(speed.verdict));
}

std::vector<Row> speed_rows(const Score& score) {
  std::vector<Row> rows;
  for (const Performance& one : score.performance) {
    std::string speedup = value_text(one.speedup) + "×";
    if (one.interval)
      speedup += " (" + value_text(one.interval->first) + "–" + value_text(one.interval->second) + ")";
    rows.push_back({one.case_name,
                    {seconds_text(one.student_s), seconds_text(one.baseline_s), speedup,
                     value_text(one.threshold.half) + "× / " + value_text(one.threshold.full) + "×"},
                    speed_verdict(one)});
  }
  return rows;
}

Ink ink_of(const std::string& verdict) {
  if (verdict == "pass") return Ink::good;
  return verdict == "FAIL" ? Ink::bad : Ink::warning;
}

struct Widths {
  std::size_t name = 0, verdict = 0;
  std::vector<std::size_t> cells;

  std::size_t line() const {
    std::size_t sum = kIndent + name + (verdict > 0 ? kGap + verdict : 0);
    for (const std::size_t cell : cells) sum += kGap + cell;
    return sum;
  }
  static constexpr std::size_t kIndent = 2, kGap = 2;
};

Widths widths_of(const std::vector<Row>& rows, const Terminal& terminal) {
  Widths widths;
  widths.cells.resize(rows.front().cells.size());
  for (const Row& row : rows) {
    widths.name = std::max(widths.name, columns(spelled(row.name, terminal)));
    widths.verdict = std::max(widths.verdict, row.verdict.size());
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths.cells[i] = std::max(widths.cells[i], columns(spelled(row.cells[i], terminal)));
  }
  return widths;
}

/// The first row contains the titles. If names do not fit next to the numbers, they are on separate lines.
std::string table(const std::vector<Row>& rows, const Terminal& terminal) {
  const Widths widths = widths_of(rows, terminal);
  const bool names_fit = widths.line() <= terminal.width;
  std::string text;
  for (const Row& row : rows) {
    const std::string name = spelled(row.name, terminal);
    std::string line = "  " + (names_fit ? left(name, widths.name, terminal)
                                         : cut(name, terminal.width - Widths::kIndent, terminal));
    if (!names_fit && !row.cells.empty()) line += "\n    ";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      line += "  " + right(spelled(row.cells[i], terminal), widths.cells[i], terminal);
    if (!row.verdict.empty()) line += "  " + paint(terminal, ink_of(row.verdict), row.verdict);
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string performance_text(const Lab& lab, const Score& score, const Terminal& terminal) {
  std::string text;
  if (std::vector<Row> rows = objective_rows(lab, score); !rows.empty()) {
    rows.insert(rows.begin(), Row{"counter", {"yours", "objective", "naive", "solution"}, ""});
    text += table(rows, terminal);
  }
  if (std::vector<Row> rows = speed_rows(score); !rows.empty()) {
    rows.insert(rows.begin(), Row{"speed", {"yours", "naive", "speed-up", "half / full from"}, ""});
    if (!text.empty()) text += "\n";
    text += table(rows, terminal);
  }
  return text;
}

}  // namespace grader
