#include "report/check_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/diagnostic_text.hpp"
#include "report/exactness.hpp"
#include "report/given_name.hpp"
#include "report/numbers.hpp"
#include "score/check_words.hpp"

namespace grader {
namespace {

struct TaskLine {
  CheckStatus status = CheckStatus::skip;
  double points = 0, max_points = 0;
  std::string remark;                   ///< first diagnostic, why it was skipped, or what limits its points
  std::optional<Devices> devices = {};  ///< with both devices: those that its checks' outcomes come from
};

std::string points_of(const TaskLine& line) {
  return points_text(line.points) + "/" + points_text(line.max_points);
}

/// A task passes if all its checks pass; it is skipped if none of them ran.
TaskLine summarise(const Task& task, const Score& score) {
  TaskLine line;
  bool failed = false, passed = false;
  std::optional<Cap> cap;
  for (const Check& check : score.checks) {
    if (check.task != task.id) continue;
    line.points += check.points;
    line.max_points += check.max_points;
    if (check.cap) cap = check.cap;
    if (check.devices)
      line.devices = line.devices.value_or(*check.devices) == *check.devices ? *check.devices : Devices::both;
    failed |= check.status == CheckStatus::fail;
    passed |= check.status == CheckStatus::pass;
    if (check.status == CheckStatus::skip && line.remark.empty()) line.remark = check.skip_reason;
    if (check.status == CheckStatus::fail && line.status != CheckStatus::fail) {
      line.status = CheckStatus::fail;
      line.remark = check.diagnostics.empty() ? "" : short_place(check.diagnostics.front());
    }
  }
  if (!failed && passed) line.status = CheckStatus::pass;
  if (cap && !failed) line.remark = cap_text(*cap);
  return line;
}

Ink ink_of(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::pass:
      return Ink::good;
    case CheckOutcome::part:
      return Ink::warning;
    case CheckOutcome::fail:
      return Ink::bad;
    case CheckOutcome::skip:
      break;
  }
  return Ink::quiet;
}

/// Of a check, or of a task's line.
template <class Checked>
std::string mark(const Checked& one, const Terminal& terminal) {
  const CheckOutcome outcome = outcome_of(one.status, one.points, one.max_points);
  return paint(terminal, ink_of(outcome), words_of(outcome));
}

std::string device_text(const Provenance& how) {
  if (how.device == "cuda") return how.profile;
  const std::string virtual_gpu = "virtual device, profile " + how.profile;
  return how.device == "both" ? how.gpu + " and " + virtual_gpu : virtual_gpu;
}

std::string header(const Lab& lab, const Result& result, const Terminal& terminal) {
  const Provenance& how = result.provenance;
  const std::string device = device_text(how);
  return cut(spelled("Lab " + lab.id + ": " + lab.title, terminal), terminal.width, terminal) + "\n" +
         cut(spelled(device + " · " + how.compiler, terminal), terminal.width, terminal) + "\n\n";
}

/// A failed "build" belongs to no task.
std::string build_line(const Score& score, const Terminal& terminal) {
  std::string text;
  for (const Check& check : score.checks) {
    if (!check.task.empty()) continue;
    text += "  " + mark(check, terminal) + "  " + check.id;
    if (!check.diagnostics.empty())
      text += "  " + printable(short_place(check.diagnostics.front()), terminal.unicode);
    text += "\n";
  }
  return text;
}

std::string title_of(const Task& task, const Terminal& terminal) {
  return spelled(task.title.empty() ? task.id : task.title, terminal);
}

/// Which device the points come from; empty for results of one device.
std::string device_cell(const TaskLine& line, std::size_t width, const Terminal& terminal) {
  constexpr std::size_t kGap = 2;
  if (width == 0) return {};
  const std::string name(line.devices ? to_string(*line.devices) : "");
  const bool ends_row = line.remark.empty();
  return std::string(kGap, ' ') + (ends_row ? name : left(name, width - kGap, terminal));
}

bool begins_bonus(const Lab& lab, std::size_t task) {
  return lab.tasks[task].is_bonus && (task == 0 || !lab.tasks[task - 1].is_bonus);
}

/// On a narrow terminal, titles are shortened to make room for points and remarks.
std::string task_table(const Lab& lab, const Score& score, const Terminal& terminal) {
  constexpr std::size_t kMark = 8, kGap = 2, kShortest = 12;
  std::size_t title = 0, points = 0, device = 0, remark = 0;
  std::vector<TaskLine> lines;
  for (const Task& task : lab.tasks) {
    lines.push_back(summarise(task, score));
    title = std::max(title, columns(title_of(task, terminal)));
    points = std::max(points, columns(points_of(lines.back())));
    if (lines.back().devices) device = std::max(device, kGap + to_string(*lines.back().devices).size());
    remark = std::max(remark, columns(lines.back().remark));
  }
  const std::size_t fixed = kMark + kGap + points + device + kGap;
  const std::size_t room = terminal.width - std::min(terminal.width, fixed + remark);
  title = std::min(title, std::max(room, kShortest));

  std::string table = build_line(score, terminal);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (begins_bonus(lab, i)) table += "\n  " + paint(terminal, Ink::quiet, "bonus, on top") + "\n";
    table += "  " + mark(lines[i], terminal) + "  " +
             left(title_of(lab.tasks[i], terminal), title, terminal) + "  " +
             right(points_of(lines[i]), points, terminal) + device_cell(lines[i], device, terminal);
    if (!lines[i].remark.empty())
      table += "  " + cut_in_window(printable(lines[i].remark, terminal.unicode),
                                    terminal.width - std::min(terminal.width, fixed + title), terminal);
    table += "\n";
  }
  return table;
}

/// The same mistake usually fails several cases, so there is one block for each distinct (code, place).
struct Finding {
  const Diagnostic* diagnostic = nullptr;
  std::vector<std::string> checks;
};

/// What --case takes; of an objective, whose id has the raw name of a counter, the words.
std::string short_name(const Check& check) {
  const bool is_objective = check.id.find('@') != std::string::npos;
  return is_objective ? check.task + ": " + words_in_task(check) : check.id;
}

std::vector<Finding> findings(const Score& score, std::initializer_list<Severity> severities) {
  std::vector<Finding> found;
  for (const Check& check : score.checks) {
    for (const Diagnostic& diagnostic : check.diagnostics) {
      if (std::find(severities.begin(), severities.end(), diagnostic.severity) == severities.end()) continue;
      const auto same = std::find_if(found.begin(), found.end(), [&](const Finding& one) {
        return is_same_mistake(*one.diagnostic, diagnostic);
      });
      Finding& finding = same == found.end() ? found.emplace_back(Finding{&diagnostic, {}}) : *same;
      const std::string name = short_name(check);
      if (finding.checks.empty() || finding.checks.back() != name) finding.checks.push_back(name);
    }
  }
  return found;
}

std::string in_checks(const Finding& finding, const Terminal& terminal) {
  constexpr std::size_t kNamed = 3;
  const std::vector<std::string>& names = finding.checks;
  if (names.front().find('/') == std::string::npos) return {};  // "build"
  const std::size_t shown = std::min(names.size(), kNamed);
  std::string text = "  in: ";
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return cut_in_window(text, terminal.width, terminal) + "\n";
}

/// The path of the submission's file; empty if the line is in a header, which has another path.
std::string path_of(const Diagnostic& diagnostic, const CheckPage& page) {
  const bool is_handed_in = diagnostic.where && diagnostic.where->file == file_name(page.source_path);
  return is_handed_in ? page.source_path : "";
}

/// The score as its page shows it: with the name of the reader's own file.
Score shown_score(const Lab& lab, const Result& result, const CheckPage& page) {
  return with_given_name(result.score, lab.sources.front(), file_name(page.source_path));
}

/// The first finding in full and the others in one line each, because one mistake often causes the rest.
std::string findings_text(const Score& score, const CheckPage& page, const Terminal& terminal) {
  constexpr std::size_t kBriefly = 4;
  std::vector<Finding> found = findings(score, {Severity::error});
  if (found.empty()) return {};
  const Diagnostic* leading = first_diagnostic(score);
  const auto led = std::find_if(found.begin(), found.end(), [&](const Finding& one) {
    return leading != nullptr && is_same_mistake(*one.diagnostic, *leading);
  });
  if (led != found.end()) {
    led->diagnostic = leading;  // another case can say more about the same place
    std::rotate(found.begin(), led, led + 1);
  }
  const Diagnostic& first = *found.front().diagnostic;
  std::string text = diagnostic_text(first, path_of(first, page), terminal);
  if (score.checks.size() > 1) text += in_checks(found.front(), terminal);
  const std::size_t end = std::min(found.size(), kBriefly + 1);
  for (std::size_t i = 1; i < end; ++i) {
    const Diagnostic& other = *found[i].diagnostic;
    text += cut_in_window("also " + printable(short_place(other) + ": " + other.what, terminal.unicode),
                          terminal.width, terminal) +
            "\n";
  }
  if (found.size() > end) text += fmt::format("and {} more kinds of errors\n", found.size() - end);
  return text;
}

std::string warnings_text(const Score& score, const CheckPage& page, const Terminal& terminal) {
  std::string text;
  const std::vector<Finding> errors = findings(score, {Severity::error});
  for (const Finding& finding : findings(score, {Severity::warning, Severity::note})) {
    const bool is_error_too = std::any_of(errors.begin(), errors.end(), [&](const Finding& one) {
      return is_same_mistake(*one.diagnostic, *finding.diagnostic);
    });
    if (is_error_too) continue;  // the same mistake, where it costs points
    text += diagnostic_text(*finding.diagnostic, path_of(*finding.diagnostic, page), terminal) +
            (score.checks.size() > 1 ? in_checks(finding, terminal) : "");
  }
  return text;
}

/// Names the section for the task to work on.
std::string hints_line(const Lab& lab, const Score& score, const CheckPage& page, const Terminal& terminal) {
  if (page.hints_path.empty()) return {};
  const Task* task = lab.find_task(leading_check(score)->task);
  const std::string section = task == nullptr || task->hints.empty() ? "" : ", " + task->hints;
  return fmt::format("Hints, mild to strong: {}{}\n", printable(page.hints_path, terminal.unicode),
                     spelled(printable(section), terminal));
}

/// After all points: the questions that remain, the hand-in, and the next lab.
std::string what_follows(const CheckPage& page, const Terminal& terminal) {
  std::string text;
  if (!page.write_up_path.empty())
    text += fmt::format("Write-up: questions in {}\n", printable(page.write_up_path, terminal.unicode));
  if (!page.hand_in.empty()) text += fmt::format("Hand in: {}\n", printable(page.hand_in, terminal.unicode));
  if (!page.next_lab.empty()) text += fmt::format("Next lab: warpgrade check {}\n", page.next_lab);
  return text;
}

/// The command that runs only the first failed check whose diagnostic leads the page.
std::string again_line(const Score& score, const CheckPage& page, const Terminal& terminal) {
  const Check* failed = leading_check(score);
  const bool has_case = failed != nullptr && failed->id.find('/') != std::string::npos;
  if (page.command.empty() || !has_case) return {};
  return fmt::format("This case alone: {} --case {}\n", printable(page.command, terminal.unicode),
                     failed->id);
}

/// "108/100 points, 8 of them bonus."
std::string total_line(const Score& score) {
  const std::string total = points_text(score.score) + "/" + points_text(score.max_score) + " points";
  const double bonus = bonus_of(score).points;
  return bonus > 0 ? fmt::format("{}, {} of them bonus.", total, points_text(bonus)) : total + ".";
}

std::string bonus_line(const Score& score, const std::string& code) {
  const BonusPoints bonus = bonus_of(score);
  return fmt::format("Bonus: up to {} more points. Fix {} first: warpgrade explain {}\n",
                     points_text(bonus.max_points - bonus.points), code, code);
}

std::string next_step(const Lab& lab, const Score& score, const CheckPage& page, const Terminal& terminal) {
  const Check* first = leading_check(score);
  if (first == nullptr)
    return is_complete(score) ? fmt::format(" {}\n", paint(terminal, Ink::good, "All checks passed.")) +
                                    what_follows(page, terminal)
                              : "\n";
  const std::string& code = first->diagnostics.front().code;
  if (first->is_bonus && is_complete(score))
    return fmt::format(" {}\n", paint(terminal, Ink::good, "The core is complete.")) +
           what_follows(page, terminal) + bonus_line(score, code) + again_line(score, page, terminal) +
           hints_line(lab, score, page, terminal);
  std::string text = fmt::format(" Fix {0} first.\nNext: warpgrade explain {0}\n", code);
  text += again_line(score, page, terminal);
  return text += hints_line(lab, score, page, terminal);
}

std::string indented(const std::string& text, const Terminal& terminal) {
  constexpr std::size_t kIndent = 2;
  std::string block;
  for (const std::string& line :
       wrap(spelled(printable(text), terminal), terminal.width - std::min(terminal.width, kIndent)))
    block += "  " + line + "\n";
  return block;
}

/// What limits the timed kernels, and which of the kernels are not exact.
std::string kernel_lines(const Score& score, const CheckPage& page, const Terminal& terminal) {
  std::string text;
  for (const std::string& limits : page.limits) text += indented(limits, terminal);
  if (score.inexact)
    for (const std::string& line : exactness_lines(*score.inexact))
      text += indented("arithmetic: " + line, terminal);
  return text;
}

/// Parts of a page are separated by an empty line.
void append_part(std::string& text, const std::string& part) {
  if (part.empty()) return;
  text += '\n';
  text += part;
}

}  // namespace

std::string check_text(const Lab& lab, const Result& result, const CheckPage& page,
                       const Terminal& terminal) {
  const Score score = shown_score(lab, result, page);
  std::string text = header(lab, result, terminal) + task_table(lab, score, terminal);
  append_part(text, findings_text(score, page, terminal));
  append_part(text, warnings_text(score, page, terminal));
  append_part(text, performance_text(lab, score, terminal));
  append_part(text, kernel_lines(score, page, terminal));
  if (score.status == ResultStatus::grader_fault)
    return text + "\nNo grade: the grader or this machine failed, not your code.\n";
  return text + "\n" + paint(terminal, Ink::strong, total_line(score)) +
         next_step(lab, score, page, terminal);
}

std::string cap_text(const Cap& cap) {
  return fmt::format("limited to {} by {}", percent_text(cap.share), cap.task);
}

std::string failure_text(const Lab& lab, const Result& result, const CheckPage& page,
                         const Terminal& terminal) {
  const Score score = shown_score(lab, result, page);
  if (first_diagnostic(score) == nullptr) return {};
  return findings_text(score, page, terminal) + hints_line(lab, score, page, terminal);
}

std::string case_text(const Lab& lab, const Result& result, const CheckPage& page, const Terminal& terminal) {
  const Score score = shown_score(lab, result, page);
  std::string text = header(lab, result, terminal);
  for (const Check& check : score.checks) {
    text += "  " + mark(check, terminal) + "  " + words_in_task(check) + "\n";
  }
  append_part(text, findings_text(score, page, terminal));
  append_part(text, warnings_text(score, page, terminal));
  if (leading_check(score) != nullptr) text += hints_line(lab, score, page, terminal);
  return text;
}

}  // namespace grader
