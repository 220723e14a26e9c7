// The page of one submission: for each lab its checks, findings, times, pictures, counters, source and
// provenance.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "export/shown.hpp"
#include "lab/counter_names.hpp"
#include "pages/course_html.hpp"
#include "pages/html.hpp"
#include "pages/picture_caption.hpp"
#include "pages/questions_html.hpp"
#include "pages/report.hpp"
#include "pages/report_files.hpp"
#include "pages/source_listing.hpp"
#include "report/check_text.hpp"
#include "report/exactness.hpp"
#include "report/numbers.hpp"
#include "report/receipt_text.hpp"
#include "score/check_words.hpp"

namespace grader::pages {
namespace {

/// A mistake and the checks that it affects; `diagnostic` is that of the first check.
struct Found {
  const Diagnostic* diagnostic = nullptr;
  std::string id;
  std::vector<std::string> checks;
};

/// The diagnostics of two checks describe one mistake, even if threads and counts differ.
bool is_same_finding(const Diagnostic& one, const Diagnostic& other) {
  return is_same_mistake(one, other) && one.what == other.what;
}

/// The finding with this mistake; the end if there is none.
auto find_mistake(std::vector<Found>& findings, const Diagnostic& diagnostic) {
  return std::find_if(findings.begin(), findings.end(),
                      [&](const Found& one) { return is_same_finding(*one.diagnostic, diagnostic); });
}

std::vector<Found> findings_of(const Result& result) {
  std::vector<Found> all;
  for (const Check& check : result.score.checks)
    for (const Diagnostic& diagnostic : check.diagnostics) {
      auto same = find_mistake(all, diagnostic);
      if (same == all.end())
        same = all.insert(all.end(),
                          {&diagnostic, fmt::format("{}-F{}", anchor(result.lab), all.size() + 1), {}});
      same->checks.push_back(check_words(check));
    }
  return all;
}

std::string links_to_findings(const Check& check, std::vector<Found>& findings) {
  std::string html;
  for (const Diagnostic& diagnostic : check.diagnostics)
    html +=
        (html.empty() ? "" : ", ") + link_html("#" + find_mistake(findings, diagnostic)->id, diagnostic.code);
  return html;
}

std::string remark(const Check& check, std::vector<Found>& findings) {
  std::string html = links_to_findings(check, findings);
  const auto add = [&](const std::string& words) { html += (html.empty() ? "" : "; ") + text(words); };
  if (check.cap) add(cap_text(*check.cap));
  if (check.status == CheckStatus::skip) add(check.skip_reason);
  return html;
}

/// Which device the points come from; no cell for results of one device.
std::string device_cell(const Check& check, bool has_devices) {
  if (!has_devices) return {};
  return cell(check.devices ? std::string(to_string(*check.devices)) : "");
}

/// A task's checks in order; one without a task, such as "build", is alone.
struct TaskChecks {
  std::vector<const Check*> checks;
  double points = 0, max_points = 0;

  bool has_task() const { return !checks.front()->task.empty(); }
  bool is_complete() const {
    return has_task() && std::all_of(checks.begin(), checks.end(), [](const Check* check) {
             return outcome_of(check->status, check->points, check->max_points) == CheckOutcome::pass &&
                    check->diagnostics.empty();
           });
  }
};

std::vector<TaskChecks> by_task(const Score& score) {
  std::vector<TaskChecks> tasks;
  for (const Check& check : score.checks) {
    if (tasks.empty() || check.task.empty() || tasks.back().checks.front()->task != check.task)
      tasks.emplace_back();
    tasks.back().checks.push_back(&check);
    tasks.back().points += check.points;
    tasks.back().max_points += check.max_points;
  }
  return tasks;
}

std::string task_row(const TaskChecks& task, bool has_devices) {
  const std::string status = task.is_complete() ? status_html(*task.checks.front()) : "";
  return fmt::format("<tr class=\"task\">{}{}<td class=\"number\">{}</td>{}<td></td></tr>\n",
                     row_heading(text(task_words(*task.checks.front()))), cell(status),
                     points_html(task.points, task.max_points), has_devices ? "<td></td>" : "");
}

std::string check_row(const Check& check, bool has_devices, std::vector<Found>& findings) {
  return fmt::format("<tr><th scope=\"row\"{}>{}</th>{}<td class=\"number\">{}</td>{}</tr>\n",
                     check.task.empty() ? "" : " class=\"below\"", text(words_in_task(check)),
                     cell(status_html(check)), points_html(check.points, check.max_points),
                     device_cell(check, has_devices) + cell(remark(check, findings)));
}

/// The checks under their tasks. Those of complete tasks are in a table of their own, which is closed.
std::string check_tree(const Result& result, std::vector<Found>& findings) {
  const bool has_devices = result.provenance.device == to_string(Devices::both);
  std::string rows, passed;
  std::size_t count = 0;
  for (const TaskChecks& task : by_task(result.score)) {
    if (task.has_task()) rows += task_row(task, has_devices);
    std::string& place = task.is_complete() ? passed : rows;
    if (task.is_complete()) place += task_row(task, has_devices);
    for (const Check* check : task.checks) place += check_row(*check, has_devices, findings);
    count += task.is_complete() ? task.checks.size() : 0;
  }
  std::vector<Column> columns = {{"check"}, {"status"}, {"points", true}, {"remark"}};
  if (has_devices) columns.insert(columns.end() - 1, {"device"});
  return table("Checks", columns, rows) + (count == 0
                                               ? ""
                                               : closed(fmt::format("Checks of passed tasks ({})", count),
                                                        table("Checks of passed tasks", columns, passed)));
}

std::string place_html(const Found& found, const std::string& lab, const std::string* source) {
  const Diagnostic& diagnostic = *found.diagnostic;
  if (!diagnostic.where) return {};
  std::string place = diagnostic.where->file;
  if (diagnostic.where->line > 0) place += fmt::format(":{}", diagnostic.where->line);
  if (source == nullptr || !points_into(diagnostic, *source)) return text(place);
  return link_html("#" + line_anchor(lab, diagnostic.where->line), place);
}

std::string finding_html(const Found& found, const std::string& lab, const std::string* source) {
  const Diagnostic& diagnostic = *found.diagnostic;
  const bool is_error = diagnostic.severity == Severity::error;
  std::string rows;
  const auto add = [&](std::string_view label, const std::string& html) {
    if (!html.empty()) rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, html);
  };
  add("where", place_html(found, lab, source));
  if (!diagnostic.source_line.empty()) add("line", "<code>" + text(diagnostic.source_line, 400) + "</code>");
  add("first seen", text(diagnostic.first));
  if (diagnostic.count > 1)
    add("count",
        count_text(diagnostic.count) + (found.checks.size() > 1 ? " in the first of the checks" : ""));
  add("likely cause", text(diagnostic.likely_cause));
  add("try", text(diagnostic.next_step));
  add("checks", text(fmt::format("{}", fmt::join(found.checks, ", "))));
  return fmt::format(
      "<article id=\"{}\" class=\"finding\">\n<h4><span class=\"{}\">{} {}</span> "
      "{}</h4>\n<dl>\n{}</dl></article>\n",
      found.id, is_error ? "bad" : "warning", is_error ? "✗ error" : "! warning", text(diagnostic.code),
      text(diagnostic.what), rows);
}

std::string findings_html(const std::vector<Found>& findings, const std::string& lab,
                          const std::string* source) {
  if (findings.empty()) return {};
  std::string html = "<h3>Findings</h3>\n";
  for (const Found& found : findings) html += finding_html(found, lab, source);
  return html;
}

std::string speed_verdict_html(SpeedVerdict verdict) {
  switch (verdict) {
    case SpeedVerdict::pass:
      return "<span class=\"good\">✓ reaches the threshold for full points</span>";
    case SpeedVerdict::too_close:
      return "<span class=\"warning\">! close to a threshold: counts as reaching it</span>";
    case SpeedVerdict::fail:
      return "<span class=\"bad\">✗ below the threshold for full points</span>";
    case SpeedVerdict::invalid:
      return "<span class=\"bad\">✗ not measured</span>";
  }
  return {};
}

std::string speed_html(const Score& score) {
  if (score.performance.empty()) return {};
  std::string rows;
  for (const Performance& one : score.performance) {
    const std::string interval =
        one.interval ? fmt::format(" ({:.3g} to {:.3g})", one.interval->first, one.interval->second) : "";
    rows += "<tr>" + row_heading(text(one.case_name)) +
            number_cell(one.baseline_s, seconds_text(one.baseline_s)) +
            number_cell(one.student_s, seconds_text(one.student_s)) +
            (one.reference_s ? number_cell(*one.reference_s, seconds_text(*one.reference_s)) : empty_cell()) +
            number_cell(one.speedup, value_text(one.speedup) + interval) +
            number_cell(one.threshold.half, value_text(one.threshold.half)) +
            number_cell(one.threshold.full, value_text(one.threshold.full)) +
            cell(speed_verdict_html(one.verdict)) + "</tr>\n";
  }
  return "<h3>Speed</h3>\n" + table("Times and speed-up over the baseline",
                                    {{"case"},
                                     {"baseline", true},
                                     {"this submission", true},
                                     {"solution", true},
                                     {"speed-up", true},
                                     {"half the points from", true},
                                     {"all points from", true},
                                     {"verdict"}},
                                    rows);
}

/// One row per counter, one column per case.
std::string counters_html(const Score& score) {
  if (score.counters.empty()) return {};
  std::vector<Column> columns = {{"counter"}};
  std::map<std::string, bool> names;
  for (const auto& [case_name, counters] : score.counters) {
    columns.push_back({case_name, true});
    for (const auto& [name, value] : counters) names[name] = true;
  }
  std::string rows;
  for (const auto& [name, used] : names) {
    rows += "<tr>" + row_heading(text(counter_words(name)));
    for (const auto& [case_name, counters] : score.counters) {
      const auto value = counters.find(name);
      rows += value == counters.end()
                  ? empty_cell()
                  : fmt::format("<td class=\"number\">{}</td>", counter_text(name, value->second));
    }
    rows += "</tr>\n";
  }
  return closed("Counters by case", table("Counters", columns, rows));
}

/// Empty if no kernel was analysed.
std::string exactness_html(const Score& score) {
  if (!score.inexact) return {};
  const auto lines = exactness_lines(*score.inexact);
  const std::string sentences =
      lines.empty() ? exactness_text({}) : fmt::format("{}", fmt::join(lines, ". "));
  return "<p>Arithmetic: " + text(sentences) + ".</p>\n";
}

/// Pictures are shown as images, so that a script in an SVG file cannot run. Pictures of errors are needed
/// to understand a finding, so only pages without them are shortened.
std::string pictures_html(const LabPictures* pictures) {
  if (pictures == nullptr || pictures->files.empty()) return {};
  std::string html;
  const bool has_errors =
      std::any_of(pictures->files.begin(), pictures->files.end(),
                  [](const StoredPicture& picture) { return picture.name.ends_with("-errors.png"); });
  if (has_errors)
    html +=
        "<p>In a picture of errors, every element of the output is a pixel or square: of a matrix in its row "
        "and column, of an array in rows of 256 elements, with grey after its end. White values are within "
        "the tolerance. From orange to dark red, values are off by 1 to 10⁶ times the tolerance or more. "
        "Blue values are NaN, for example because they were never written.</p>\n";
  html += "<div class=\"pictures\">\n";
  for (const StoredPicture& picture : pictures->files) {
    const std::string caption = text(picture_caption(picture.name));
    html += fmt::format(
        "<figure><img src=\"data:image/{};base64,{}\" alt=\"{}\"><figcaption>{}</figcaption></figure>\n",
        picture.name.ends_with(".svg") ? "svg+xml" : "png", base64(picture.bytes), caption, caption);
  }
  html += "</div>\n";
  return has_errors ? "<h3>Pictures</h3>\n" + html
                    : closed(fmt::format("Pictures ({})", pictures->files.size()), html);
}

/// The counters of the source's lines; nullptr if there are none for these bytes.
const FileLineCounters* counters_of(const LabPictures* pictures, const Result& result) {
  const bool fits = pictures != nullptr && pictures->lines &&
                    pictures->lines->source_sha256 == result.provenance.source_sha256;
  return fits ? &*pictures->lines : nullptr;
}

/// Why the counters that were given are not shown.
std::string counters_problem(const LabPictures* pictures, const Result& result) {
  if (pictures == nullptr || counters_of(pictures, result) != nullptr) return {};
  if (!pictures->lines_problem.empty())
    return fmt::format(
        "<p>The counters of lines cannot be used: {}: {}. Make them again with "
        "<code>warpgrade pictures</code>.</p>\n",
        kLineCountersFile, text(pictures->lines_problem));
  if (pictures->lines)
    return "<p>The counters of lines belong to another version of the file. Make them again with "
           "<code>warpgrade pictures</code>.</p>\n";
  return {};
}

std::string source_html(const std::string* source, const Result& result, const LabPictures* pictures,
                        const std::vector<Found>& findings) {
  if (source == nullptr) return "<p>The submitted file is not available.</p>\n";
  std::vector<Finding> inside;
  for (const Found& found : findings)
    if (points_into(*found.diagnostic, *source)) inside.push_back({found.diagnostic, found.id});
  const std::string listing = source_listing(*source, result.lab, inside, counters_of(pictures, result));
  const std::string problem = counters_problem(pictures, result);
  return inside.empty() ? problem + closed("Source", listing) : "<h3>Source</h3>\n" + problem + listing;
}

std::string provenance_html(const Provenance& how) {
  std::string rows;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) rows += "<tr>" + row_heading(text(label)) + cell(text(value)) + "</tr>\n";
  };
  add("grader", how.grader_version);
  add("compiler", how.compiler);
  add("device", device_settings(how));
  add("sandbox", how.sandbox);
  add("time limit per case", seconds_text(how.time_limit_s));
  add("SHA-256 of the source", how.source_sha256);
  add("SHA-256 of lab.json", how.rubric_sha256);
  add("seed file", how.seed_file);
  if (how.attempts > 1) add("attempts", fmt::format("{}", how.attempts));
  add("graded", fmt::format("{} to {}", how.started, how.finished));
  return closed("How this was graded", table("Provenance", {{"what"}, {"value"}}, rows));
}

std::string score_line(const Result& result, Audience audience) {
  const Score& score = result.score;
  if (score.status == ResultStatus::grader_fault)
    return "<p class=\"score\"><span class=\"bad\">✗ no grade</span>: the grader or its machine failed, not "
           "the "
           "submission</p>\n";
  std::string html =
      fmt::format("<p class=\"score\"><strong>{}</strong> points", points_html(score.score, score.max_score));
  if (const double bonus = bonus_of(score).points; bonus > 0)
    html += fmt::format(", {} of them bonus", points_text(bonus));
  // The verdict could be that of a hidden check.
  if (audience == Audience::instructor) html += ", " + verdict_html(score.verdict);
  if (score.status == ResultStatus::rejected) html += ", rejected";
  return html + "</p>\n";
}

std::string receipt_html(const Result& result) {
  return result.receipt ? "<p>" + text(receipt_text(result)) + "</p>\n" : "";
}

std::string lab_html(const ReportInput& input, const GradedSubmission& one, const Result& result,
                     Audience audience) {
  const auto stored = input.sources.find(result.provenance.source_sha256);
  const std::string* source = stored == input.sources.end() ? nullptr : &stored->second;
  const auto drawn = input.pictures.find({one.file_name, result.lab});
  const LabPictures* pictures = drawn == input.pictures.end() ? nullptr : &drawn->second;
  auto findings = findings_of(result);
  return section(anchor(result.lab), result.lab,
                 score_line(result, audience) + receipt_html(result) + check_tree(result, findings) +
                     questions_html(result) + lab_grade_html(course_grade(input, one.id), result.lab) +
                     findings_html(findings, result.lab, source) + speed_html(result.score) +
                     exactness_html(result.score) + pictures_html(pictures) + counters_html(result.score) +
                     source_html(source, result, pictures, findings) + provenance_html(result.provenance));
}

/// Who handed in, and how, as far as the class's summary knows it.
std::string hand_in_html(const ReportInput& input, const GradedSubmission& one) {
  std::string rows;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, text(value));
  };
  add("name", one.identity.name);
  add("email", one.identity.email);
  const auto found = input.all.summary.hand_ins.find(one.id);
  if (found != input.all.summary.hand_ins.end()) {
    const HandIn& hand_in = found->second;
    for (std::size_t i = 1; i < hand_in.people.size(); ++i)
      add("together with", hand_in.people[i].name.empty() ? hand_in.people[i].email : hand_in.people[i].name);
    add("handed in", hand_in.submitted_at);
    if (hand_in.late && *hand_in.late) add("late", "yes");
    for (const auto& [lab, others] : hand_in.same_bytes)
      add("identical file", fmt::format("{}: also {}", lab, fmt::join(others, ", ")));
    for (const std::string& note : hand_in.notes) add("note", note);
  }
  return rows.empty() ? "" : "<dl>\n" + rows + "</dl>\n";
}

std::string contents(const ReportInput& input, const GradedSubmission& one, Audience audience) {
  std::string html = "<nav aria-label=\"Contents\"><ul>\n";
  if (audience == Audience::instructor) html += "<li>" + link_html("../index.html", "The class") + "</li>\n";
  if (course_grade(input, one.id) != nullptr)
    html += "<li>" + link_html("#course-grade", "Grade in the course") + "</li>\n";
  for (const Result& result : one.results)
    html += "<li>" + link_html("#" + anchor(result.lab), result.lab) + "</li>\n";
  return html + "</ul></nav>\n";
}

}  // namespace

std::string submission_page(const ReportInput& input, const GradedSubmission& one, Audience audience) {
  std::string html = fmt::format("<h1>{}</h1>\n", text(one.id)) + contents(input, one, audience);
  if (const auto points = total(input.all, one); points && one.results.size() > 1)
    html += fmt::format("<p class=\"score\"><strong>{}</strong> points in all</p>\n",
                        points_html(points->score, points->max_score));
  html += hand_in_html(input, one) + course_grade_section(course_grade(input, one.id));
  for (const Result& result : one.results) html += lab_html(input, one, result, audience);
  return document(one.id, html, Scripts::none);
}

}  // namespace grader::pages
