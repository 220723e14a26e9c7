// Moodle's two CSV imports (docs.moodle.org, "Grade import"; moodle,
// mod/assign/feedback/offline/importgradeslib.php). Import into the gradebook: one column identifies people,
// and the teacher maps the other columns. One bad row stops the whole import: a grade that is not a number or
// is above the item's maximum, or a person who is not in the course. Therefore doubtful rows are left out and
// reported. Import of a grading worksheet, for one assignment: the columns Identifier ("Participant 123"),
// Grade and Last modified (grade) are required; Moodle ignores rows of unknown participants.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "export/formats.hpp"
#include "export/per_submission.hpp"
#include "report/csv.hpp"

namespace grader {
namespace {

constexpr double kMaxGrade = 100;  // maximum of a grade item unless the site sets $CFG->unlimitedgrades

struct Key {
  std::string column;
  std::string Identity::*value;
};

Key key_of(MoodleIdentity identity) {
  switch (identity) {
    case MoodleIdentity::email:
      return {"Email address", &Identity::email};
    case MoodleIdentity::username:
      return {"Username", &Identity::login};
    case MoodleIdentity::idnumber:
      return {"ID number", &Identity::id_number};
    case MoodleIdentity::userid:
      return {"User ID", &Identity::lms_id};
    case MoodleIdentity::participant:
      break;
  }
  return {"Identifier", &Identity::lms_id};
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The identifiers of the submissions. If two submissions have the same identifier, both are doubtful.
class People {
 public:
  People(const ClassResults& all, const ExportOptions& options)
      : key_(key_of(options.moodle_identity)),
        is_number_(options.moodle_identity == MoodleIdentity::participant ||
                   options.moodle_identity == MoodleIdentity::userid) {
    for (const GradedSubmission& one : all.submissions) ++uses_[of(one)];
  }

  const std::string& column() const { return key_.column; }
  /// Empty for a number from another system, and for a number that Moodle's packages give to participants,
  /// not to users.
  std::string of(const GradedSubmission& one) const {
    const std::string& lms = one.lms;
    const bool is_foreign = !lms.empty() && !(key_.column == "Identifier" && lms == "moodle");
    return is_number_ && is_foreign ? "" : one.identity.*key_.value;
  }

  /// Why the row cannot be written; empty if it can.
  std::string problem_with(const GradedSubmission& one) const {
    const std::string key = of(one);
    if (key.empty()) return unidentified(key_.column + " for Moodle");
    if (is_number_ && !is_number(key)) return fmt::format("its {} is not a number", key_.column);
    if (starts_formula(key)) return "a spreadsheet could run its identifier as a formula";
    if (uses_.at(key) > 1) return fmt::format("another submission has the same {}", key_.column);
    return {};
  }

 private:
  Key key_;
  bool is_number_;
  std::map<std::string, int> uses_;
};

bool has_grade(const Result* result) {
  return result != nullptr && result->score.status != ResultStatus::grader_fault;
}

/// The feedback comment that Moodle shows next to the grade: one line, with " | " between its parts.
std::string feedback(const GradedSubmission& one, const std::string& lab) {
  ClassResults only;  // with one lab, names need no prefix
  only.summary.labs = {lab};
  GradedSubmission part = one;
  std::erase_if(part.results, [&](const Result& result) { return result.lab != lab; });
  std::string text = overview(only, part);
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, " | ");
  return text;
}

std::optional<Diagnostic> too_many_points(const ClassResults& all) {
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results)
      if (result.score.max_score > kMaxGrade)
        return not_expressible(fmt::format("{} gives up to {} points, but Moodle's grades go up to {} only",
                                           result.lab, result.score.max_score, kMaxGrade),
                               "pass --percent: a grade is then the percentage of the lab's points, and its "
                               "feedback has the points");
  return std::nullopt;
}

/// The grade as Moodle reads it, with the maximum.
struct Grade {
  std::string points = "-", max_points;
};

Grade grade_of(const Result* result, const ExportOptions& options) {
  Grade grade;
  if (result == nullptr) return grade;
  const Score& score = result->score;
  const double unit = options.percent && score.max_score > 0 ? kMaxGrade / score.max_score : 1;
  // Moodle refuses grades above the maximum, which bonus tasks give; the feedback has all points.
  if (has_grade(result)) grade.points = fmt::format("{:.2f}", unit * std::min(score.score, score.max_score));
  grade.max_points = fmt::format("{:.2f}", unit * score.max_score);
  return grade;
}

std::vector<std::string> header_of(const ClassResults& all, const ExportOptions& options,
                                   const People& people) {
  if (options.moodle_identity == MoodleIdentity::participant)
    return {people.column(),         "Full name",        "Grade", "Maximum Grade",
            "Last modified (grade)", "Feedback comments"};
  std::vector<std::string> header = {people.column()};
  for (const std::string& lab : all.summary.labs) {
    header.push_back(csv_cell(options.name_of(lab)));
    header.push_back(csv_cell(options.name_of(lab) + " (feedback)"));
  }
  return header;
}

std::vector<std::string> worksheet_row(const ClassResults& all, const GradedSubmission& one,
                                       const People& people, const ExportOptions& options) {
  const std::string& lab = all.summary.labs.front();
  const Grade grade = grade_of(one.find(lab), options);
  return {"Participant " + people.of(one), csv_cell(one.identity.name), grade.points, grade.max_points, "-",
          csv_cell(feedback(one, lab))};
}

std::vector<std::string> gradebook_row(const ClassResults& all, const GradedSubmission& one,
                                       const People& people, const ExportOptions& options) {
  std::vector<std::string> row = {csv_cell(people.of(one))};
  for (const std::string& lab : all.summary.labs) {
    row.push_back(grade_of(one.find(lab), options).points);
    row.push_back(csv_cell(feedback(one, lab)));
  }
  return row;
}

}  // namespace

Expected<Exported, Diagnostic> export_moodle(const ClassResults& all, const ExportOptions& options) {
  const bool worksheet = options.moodle_identity == MoodleIdentity::participant;
  if (worksheet && all.summary.labs.size() != 1)
    return Unexpected{
        not_expressible("a grading worksheet is for one assignment, but the class has several labs",
                        "choose one with --lab")};
  if (auto problem = too_many_points(all); problem && !options.percent)
    return Unexpected{*std::move(problem)};
  const People people(all, options);
  Exported exported;
  std::string csv = csv_row(header_of(all, options, people));
  bool has_rows = false;
  for (const GradedSubmission& one : all.submissions) {
    if (const std::string problem = people.problem_with(one); !problem.empty()) {
      exported.left_out.push_back({one.id, problem});
      continue;
    }
    has_rows = true;
    csv += csv_row(worksheet ? worksheet_row(all, one, people, options)
                             : gradebook_row(all, one, people, options));
    if (all.lacks_grade(one)) exported.left_out.push_back({one.id, kNoGrade});
  }
  if (has_rows) exported.files = {{"", std::move(csv)}};
  return exported;
}

}  // namespace grader
