#include "pages/sample_report.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "export/sample_class.hpp"
#include "report/sample.hpp"

namespace testing {

using namespace grader;
using namespace grader::pages;

namespace {

constexpr const char* kTheLab = "02-tiled-matmul";
const std::string kAttackingSource =
    "// </code></pre><script>alert(1)</script>\n<img src=x onerror=alert(2)>\n\x1b[31m\xff\n";

/// The part of a page that is made from results; style and scripts are outside.
std::string main_part(const std::string& html) {
  const std::size_t start = html.find("<main");
  return html.substr(start, html.rfind("</main>") - start);
}

/// True if an attribute runs a script, sets a style, or leads out of the pages.
bool has_foreign_attribute(std::string_view attributes) {
  for (const std::string_view name : {" on", " style", " srcdoc", " formaction"})
    if (attributes.find(name) != std::string_view::npos) return true;
  for (const std::string_view name : {" href=\"", " src=\""}) {
    const std::size_t at = attributes.find(name);
    if (at == std::string_view::npos) continue;
    const std::string_view address = attributes.substr(at + name.size());
    const bool is_own = address.starts_with("#") || address.starts_with("../index.html\"") ||
                        address.starts_with("submissions/") || address.starts_with("data:image/");
    if (!is_own) return true;
  }
  return false;
}

/// A grade with a deduction, a mark and answers; no grade for a result without one.
course::StudentGrade grade_for(const GradedSubmission& one) {
  course::StudentGrade student{one.id, one.identity, {}, {}, {}};
  const Result& result = one.results.front();
  course::LabGrade& lab = student.labs.emplace_back();
  lab.lab = kTheLab;
  lab.max_points = 115;
  if (result.score.status == ResultStatus::grader_fault) {
    lab.reasons = {{"no grade: the grader or its machine failed, not the submission"}};
    return student;
  }
  lab.automatic = result.score.score;
  lab.questions = course::QuestionsGrade{5, 10};
  lab.reasons = {{"5 of 10 points for the questions: 2 of 4 right, 1 open", 5},
                 {"10 % off for 1 day late: due 2026-11-20 23:59 +01:00", -result.score.score / 10},
                 {"report: <script>alert(5)</script> clear figures", 4.5}};
  lab.points = result.score.score * 0.9 + 9.5;
  student.percent = lab.percent();
  return student;
}

/// Grades of the class's students, and of one without a submission, with texts that attack the pages.
course::StoredGrades grades_for(const ClassResults& all) {
  course::StoredGrades stored;
  stored.title = "CUDA <b>2026</b>";
  stored.grades.graded = {kTheLab};
  stored.grades.warnings = {"02-tiled-matmul: no time is known: <img src=x onerror=alert(6)>"};
  for (const GradedSubmission& one : all.submissions) stored.grades.students.push_back(grade_for(one));
  stored.grades.students.push_back({"<i>absent", {.name = "\"><script>"}, 0.0, {{"course: <b>", 0}}, {}});
  return stored;
}

}  // namespace

void add_submission(ReportInput& input, const std::string& id, Result result, const std::string& source) {
  result.submission = id;
  result.provenance.source_sha256 = sha256_hex(source);
  input.sources[result.provenance.source_sha256] = source;
  const std::string name = fmt::format("s{}", input.all.submissions.size());
  input.all.summary.rows.push_back(class_row(result, "results/" + name + "/" + kTheLab + ".json"));
  input.all.submissions.push_back({id, name, {}, "", {std::move(result)}});
}

ReportInput attacked_report() {
  ReportInput input;
  input.all = with_identities(attacked_class());
  for (GradedSubmission& one : input.all.submissions)
    for (Result& result : one.results) result.provenance.source_sha256 = sha256_hex(kAttackingSource);
  input.sources[sha256_hex(kAttackingSource)] = kAttackingSource;
  HandIn& hand_in = input.all.summary.hand_ins["alice"];
  hand_in.submitted_at = "<b>today</b>";
  hand_in.late = true;
  hand_in.notes = {"<script>alert(3)</script>"};
  const std::string bob = input.all.submissions.front().id;
  input.similar = {{kTheLab, "alice", bob, 0.875, true, SimilarPair::Fragment{1, 2, 12}},
                   {kTheLab, "carol", "<i>gone</i>", 0.25, false, {}}};
  input.changes =
      Comparison{{{"alice", kTheLab, input.all.summary.rows[0], input.all.summary.rows[1], {"rubric"}},
                  {"zoe", kTheLab, {}, input.all.summary.rows[4], {"not in both"}}},
                 3};
  GradedSubmission& alice = input.all.submissions.at(1);
  alice.results.front().questions = some_answers();
  alice.results.front().questions->name = "<script>alert(7)</script>";
  QuestionsOutcome& refused = input.all.submissions.front().results.front().questions.emplace();
  refused.problem = "answers.json is for the name \"<script>alert(8)</script>\x1b\"";
  input.course = grades_for(input.all);
  LabPictures& pictures = input.pictures[{"alice", kTheLab}];
  pictures.files = {{"<b>-out-errors.png", "\x89PNG\r\n\x1a\n"},
                    {"timeline.svg", "<svg onload=\"alert(4)\"></svg>"}};
  pictures.lines = FileLineCounters{"<b>.cu", sha256_hex(kAttackingSource), "<i>case</i>", {}};
  pictures.lines->lines.push_back({1, 62.5, 31.25, PerRequest{32, 4}, PerRequest{1, 1}, 12.5});
  return input;
}

ReportInput large_report(std::size_t count) {
  ReportInput input = attacked_report();
  for (std::size_t i = 0; i < count; ++i) {
    Result result = i % 3 == 0 ? accepted_result() : i % 3 == 1 ? failing_result() : limited_result();
    for (Check& check : result.score.checks)
      if (check.points > 0 && (i * 7 + check.id.size()) % 5 == 0) {
        result.score.score -= check.points;
        check.points = 0;
        check.status = CheckStatus::fail;
      }
    if (i % 4 != 0) result.questions = some_answers();
    if (i % 4 == 1) result.questions->answers.at(1) = {"memory", AnswerStatus::right, 1, 1};
    if (i % 4 == 2) result.questions->answers.at(0) = {"tile-bytes", AnswerStatus::missing, 0, 2};
    for (Performance& one : result.score.performance)
      one.speedup = 0.5 + static_cast<double>(i * 13 % 97) / 10;
    add_submission(input, fmt::format("student{:04}", i), std::move(result),
                   "int main() {\n  return 0;\n}\n");
  }
  std::sort(input.all.submissions.begin(), input.all.submissions.end(),
            [](const GradedSubmission& one, const GradedSubmission& other) { return one.id < other.id; });
  input.course = grades_for(input.all);
  return input;
}

std::string foreign_markup(const std::string& html) {
  static const std::set<std::string> kTags = {
      "main", "nav",   "section", "article", "details", "summary", "figure", "figcaption", "div",
      "p",    "span",  "strong",  "em",      "code",    "a",       "ul",     "ol",         "li",
      "dl",   "dt",    "dd",      "table",   "caption", "thead",   "tbody",  "tr",         "th",
      "td",   "meter", "img",     "h1",      "h2",      "h3",      "h4"};
  const std::string own = main_part(html);
  for (std::size_t start = own.find('<'); start != std::string::npos; start = own.find('<', start + 1)) {
    const std::string tag = own.substr(start, own.find('>', start) - start);
    const std::size_t name = tag.starts_with("</") ? 2 : 1;
    const std::size_t name_end = std::min(tag.find_first_of(" \t\n/", name), tag.size());
    if (!kTags.contains(tag.substr(name, name_end - name)) || has_foreign_attribute(tag.substr(name_end)))
      return tag;
  }
  const bool has_control = std::any_of(html.begin(), html.end(),
                                       [](unsigned char c) { return c < ' ' && c != '\n' && c != '\t'; });
  return has_control ? "a control character" : "";
}

}  // namespace testing
