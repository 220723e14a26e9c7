// The page of a class: what needs attention, then the sections, each of which can be reached from the
// contents.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/statistics.hpp"
#include "export/shown.hpp"
#include "pages/class_sections.hpp"
#include "pages/course_html.hpp"
#include "pages/html.hpp"
#include "pages/questions_html.hpp"
#include "report/numbers.hpp"

namespace grader::pages {
namespace {

/// What an instructor has to know before the numbers count.
std::string warnings(const ClassResults& all) {
  std::string html;
  const auto add = [&](const std::string& words) {
    html += fmt::format("<p class=\"warning\">! {}</p>\n", text(words));
  };
  if (all.summary.interrupted)
    add(fmt::format(
        "Grading was interrupted: {} of {} results exist. Continue it with `warpgrade grade … --resume`.",
        all.summary.rows.size(), all.summary.expected_rows));
  std::size_t faults = 0, unsafe = 0;
  for (const ClassRow& row : all.summary.rows) {
    faults += row.status == ResultStatus::grader_fault ? 1 : 0;
    unsafe += row.sandboxed ? 0 : 1;
  }
  if (faults > 0)
    add(
        fmt::format("Results without a grade, because the grader or its machine failed: {}. Grade them again "
                    "with `warpgrade grade … --only failed`.",
                    faults));
  if (unsafe > 0) add(fmt::format("Results of programs that ran without a sandbox: {}.", unsafe));
  return html;
}

std::string overview_html(const ClassResults& all) {
  std::vector<double> scores;
  double most = 0;
  for (const GradedSubmission& one : all.submissions)
    if (const auto points = total(all, one)) {
      scores.push_back(points->score);
      most = std::max(most, points->max_score);
    }
  std::string words = fmt::format("{} submissions, {} results. Labs: {}.", all.submissions.size(),
                                  all.summary.rows.size(), fmt::join(all.summary.labs, ", "));
  if (!scores.empty())
    words += fmt::format(" The median is {} of {} points.", points_text(median(scores)), points_text(most));
  return "<p>" + text(words) + "</p>\n" + warnings(all);
}

struct Section {
  std::string_view id, heading;
  std::string html;
};

std::string contents_html(const std::vector<Section>& sections) {
  std::string html = "<nav aria-label=\"Contents\"><ul>\n";
  for (const Section& one : sections)
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", one.id, one.heading);
  return html + "</ul></nav>\n";
}

}  // namespace

std::string class_page(const ReportInput& input) {
  std::vector<Section> sections = {
      {"submissions", "Submissions", submissions_section(input)},
      {"course", "Course", course_section(input)},
      {"distributions", "Distributions", distributions_section(input)},
      {"items", "Item analysis", items_section(input.all)},
      {"questions", "Questions", questions_section(input.all)},
      {"diagnostics", "Commonest diagnostics", diagnostics_section(input.all)},
      {"similarity", "Similar submissions", similarity_section(input)},
      {"changes", "Changes since an earlier grading", changes_section(input)},
      {"provenance", "Environment and provenance", provenance_section(input.all)}};
  std::erase_if(sections, [](const Section& one) { return one.html.empty(); });
  std::string html = "<h1>Class report</h1>\n" + overview_html(input.all) + contents_html(sections);
  for (const Section& one : sections) html += section(one.id, one.heading, one.html);
  return document("Class report", html, Scripts::tables_and_charts);
}

std::string submission_link(const GradedSubmission& one) { return link_html(page_address(one), one.id); }

std::string submission_link(const ClassResults& all, const std::string& id) {
  const auto found = std::lower_bound(
      all.submissions.begin(), all.submissions.end(), id,
      [](const GradedSubmission& one, const std::string& searched) { return one.id < searched; });
  return found == all.submissions.end() || found->id != id ? text(id) : submission_link(*found);
}

std::string provenance_section(const ClassResults& all) {
  constexpr std::array kLabels = {"grader",  "SHA-256 of lab.json", "compiler",  "device",
                                  "sandbox", "time limit per case", "seed file", "graded on"};
  std::map<std::string, std::map<std::string_view, std::map<std::string, std::size_t>>> counts;  // by lab
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results) {
      const Provenance& how = result.provenance;
      const std::array<std::string, kLabels.size()> values = {
          how.grader_version, how.rubric_sha256,
          how.compiler,       device_settings(how),
          how.sandbox,        seconds_text(how.time_limit_s),
          how.seed_file,      how.started.substr(0, how.started.find('T'))};
      for (std::size_t i = 0; i < kLabels.size(); ++i)
        if (!values.at(i).empty()) ++counts[result.lab][kLabels.at(i)][values.at(i)];
    }
  std::string rows;
  for (const std::string& lab : all.summary.labs)
    for (const std::string_view label : kLabels)
      for (const auto& [value, count] : counts[lab][label])
        rows += "<tr>" + row_heading(text(lab)) + cell(text(label)) + cell(text(value)) +
                number_cell(static_cast<double>(count), count_text(count)) + "</tr>\n";
  return table("Settings of the results", {{"lab"}, {"setting"}, {"value"}, {"results", true}}, rows);
}

}  // namespace grader::pages
