// Sections of the class's page with statistics. Each chart is drawn from the table with its numbers, so the
// page is complete without scripts.
#include "pages/class_sections.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "export/shown.hpp"
#include "pages/distribution.hpp"
#include "pages/html.hpp"
#include "pages/item_analysis.hpp"
#include "report/numbers.hpp"

namespace grader::pages {
namespace {

constexpr std::size_t kScoreBins = 10;
constexpr double kWeakDiscrimination = 0.2;  // the usual limits of item analysis
constexpr double kEasy = 0.95, kDifficult = 0.2;

/// A line of a chart where a rule changes: "data-x-lines" or "data-y-lines" in words that the script reads.
std::string lines_attribute(char axis, const std::vector<std::pair<double, std::string_view>>& lines) {
  std::string words;
  for (const auto& [at, meaning] : lines)
    words += fmt::format("{}{} {}", words.empty() ? "" : ";", at, meaning);
  return fmt::format(" data-{}-lines=\"{}\"", axis, words);
}

/// The bins as a table with a bar in each row.
std::string histogram_html(const std::string& caption, const std::string& unit, const std::vector<Bin>& bins,
                           const std::string& lines = "") {
  std::size_t most = 1;
  for (const Bin& bin : bins) most = std::max(most, bin.count);
  std::string rows;
  for (const Bin& bin : bins)
    rows += fmt::format(
        "<tr><th scope=\"row\" data-value=\"{}\">{} to {}{}</th>{}<td><meter min=\"0\" max=\"{}\" "
        "value=\"{}\" "
        "aria-hidden=\"true\"></meter></td></tr>\n",
        bin.from, value_text(bin.from), value_text(bin.to), unit,
        number_cell(static_cast<double>(bin.count), count_text(bin.count)), most, bin.count);
  const double width = bins.empty() ? 0 : bins.front().to - bins.front().from;
  return table(caption, {{"range"}, {"submissions", true}, {"bar"}}, rows,
               fmt::format("data-chart=\"bars\" data-width=\"{}\" data-unit=\"{}\"", width, unit) + lines);
}

std::string figure_html(const std::string& table_html, const std::string& note) {
  return fmt::format("<figure class=\"chart\">\n{}<figcaption>{}</figcaption></figure>\n", table_html,
                     text(note));
}

std::string score_note(const std::vector<double>& percents) {
  double sum = 0;
  for (const double one : percents) sum += one;
  return fmt::format("{} results; mean {:.1f} %, median {:.1f} %", percents.size(),
                     sum / static_cast<double>(percents.size()), median(percents));
}

std::string score_chart(const std::string& of, const std::vector<double>& percents) {
  if (percents.empty()) return {};
  return figure_html(histogram_html("Points of " + of, " %", histogram(percents, 100, kScoreBins)),
                     score_note(percents));
}

/// Extra credit can lift a percentage above 100, which counts as 100 here.
std::string course_chart(const ReportInput& input) {
  if (!input.course) return {};
  std::vector<double> percents;
  for (const course::StudentGrade& one : input.course->grades.students)
    if (one.percent) percents.push_back(std::min(100.0, *one.percent));
  return score_chart("the course", percents);
}

std::vector<const Result*> results_of(const ClassResults& all, const std::string& lab) {
  std::vector<const Result*> results;
  for (const GradedSubmission& one : all.submissions)
    if (const Result* result = one.find(lab);
        result != nullptr && result->score.status != ResultStatus::grader_fault)
      results.push_back(result);
  return results;
}

double percent_of(double points, double most) { return most > 0 ? std::min(100.0, 100 * points / most) : 0; }

/// Speed-ups by case, in the order of the names.
std::string speed_charts(const std::string& lab, const std::vector<const Result*>& results) {
  std::map<std::string, std::vector<double>> speedups;
  std::map<std::string, SpeedThreshold> thresholds;
  for (const Result* result : results)
    for (const Performance& one : result->score.performance)
      if (one.verdict != SpeedVerdict::invalid && std::isfinite(one.speedup) && one.speedup >= 0) {
        speedups[one.case_name].push_back(one.speedup);
        thresholds[one.case_name] = one.threshold;
      }
  std::string html;
  for (const auto& [case_name, values] : speedups)
    html += figure_html(
        histogram_html(fmt::format("Speed-up of {}, case {}", lab, case_name), "", round_histogram(values),
                       lines_attribute('x', {{thresholds[case_name].half, "half the points"},
                                             {thresholds[case_name].full, "all points"}})),
        fmt::format("{} results; median {}; half the points from {}, all points from {}", values.size(),
                    value_text(median(values)), value_text(thresholds[case_name].half),
                    value_text(thresholds[case_name].full)));
  return html;
}

std::string advice(const Item& item) {
  if (item.discrimination && *item.discrimination <= -kWeakDiscrimination)
    return "strong submissions lose points here: check the rubric";
  if (item.facility >= kEasy) return "nearly everybody earns it";
  if (item.facility <= kDifficult) return "difficult";
  if (item.discrimination && *item.discrimination < kWeakDiscrimination) return "separates little";
  return "";
}

std::string item_row(const Item& item) {
  const std::string discrimination =
      item.discrimination
          ? fmt::format("<td class=\"number y\" data-value=\"{0}\">{0:.2f}</td>", *item.discrimination)
          : empty_cell();
  const auto count = [](std::size_t value) {
    return number_cell(static_cast<double>(value), count_text(value));
  };
  return fmt::format("<tr{}><th scope=\"row\"{}>{}</th>", item.is_task ? " class=\"task\"" : "",
                     item.is_task ? "" : " class=\"below\"", text(item.name)) +
         number_cell(item.points, points_text(item.points)) + count(item.results) +
         fmt::format("<td class=\"number x\" data-value=\"{}\">{:.0f} %</td>", item.facility,
                     100 * item.facility) +
         discrimination + count(item.passed) + count(item.failed) + count(item.skipped) + cell(advice(item)) +
         "</tr>\n";
}

}  // namespace

std::string distributions_section(const ReportInput& input) {
  const ClassResults& all = input.all;
  std::string html = course_chart(input);
  if (all.summary.labs.size() > 1) {
    std::vector<double> totals;
    for (const GradedSubmission& one : all.submissions)
      if (const auto points = total(all, one)) totals.push_back(percent_of(points->score, points->max_score));
    html += score_chart("all labs", totals);
  }
  for (const std::string& lab : all.summary.labs) {
    const auto results = results_of(all, lab);
    std::vector<double> percents;
    for (const Result* result : results)
      percents.push_back(percent_of(result->score.score, result->score.max_score));
    html += score_chart(lab, percents) + speed_charts(lab, results);
  }
  return html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string items_section(const ClassResults& all) {
  std::string html;
  for (const std::string& lab : all.summary.labs) {
    std::string rows;
    for (const Item& item : item_analysis(results_of(all, lab))) rows += item_row(item);
    if (rows.empty()) continue;
    const std::string heading = "Tasks and checks of " + lab;
    const std::string figure =
        figure_html(table(heading,
                          {{"item"},
                           {"points", true},
                           {"results", true},
                           {"facility", true},
                           {"discrimination", true},
                           {"pass", true},
                           {"fail", true},
                           {"skip", true},
                           {"remark"}},
                          rows,
                          "class=\"sortable\" data-chart=\"scatter\"" +
                              lines_attribute('x', {{100 * kDifficult, "difficult"}, {100 * kEasy, "easy"}}) +
                              lines_attribute('y', {{kWeakDiscrimination, "separates little below"}})),
                    "Each point of the chart is a task or a check of " + lab);
    // Seven labs have more than 200 items.
    html += all.summary.labs.size() > 1 ? closed(heading, figure) : figure;
  }
  if (html.empty()) return {};
  return "<p><em>Facility</em> is the mean share of an item's points that submissions earned: 100 % for an "
         "item that "
         "everybody solved. <em>Discrimination</em> is the correlation of this share with the points of all "
         "other items: "
         "an item with a value below 0.2 hardly separates strong from weak submissions. Checks that need "
         "another task are "
         "limited by it, so their values are not independent. With fewer than 30 results, both are "
         "rough.</p>\n" +
         html;
}

}  // namespace grader::pages
