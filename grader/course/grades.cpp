#include "course/grades.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "course/lateness.hpp"
#include "course/question_points.hpp"
#include "course/students.hpp"
#include "report/numbers.hpp"

namespace grader::course {
namespace {

/// The instructor's entries for one student and lab.
struct Entries {
  std::vector<const Extension*> extensions;
  std::vector<const ManualMark*> marks;
  const GivenTime* time = nullptr;
};
using EntryKey = std::pair<std::string, std::string>;  ///< student, lab

Reason reason_of(const ManualMark& mark) {
  std::string text = mark.item;
  if (text.empty()) text = mark.points ? "manual points" : "comment";
  if (!mark.comment.empty()) text += ": " + mark.comment;
  return {text, mark.points.value_or(0)};
}

class Grading {
 public:
  Grading(const Course& course, const ClassResults& results)
      : course_(course), results_(results), students_(results, course) {}

  Expected<CourseGrades, Diagnostic> run() {
    if (auto problem = take_extensions()) return Unexpected{*std::move(problem)};
    if (auto problem = take_marks()) return Unexpected{*std::move(problem)};
    if (auto problem = take_times()) return Unexpected{*std::move(problem)};
    note_labs();
    for (const auto& [id, who] : students_.all()) grades_.students.push_back(grade_of(id, who));
    for (const auto& [note, students] : notes_)
      warn(fmt::format("{}: {}: {}", note.first, note.second, fmt::join(students, ", ")));
    return std::move(grades_);
  }

 private:
  std::optional<Diagnostic> take_extensions() {
    for (const Extension& one : course_.extensions) {
      const auto id = students_.find(one.student);
      if (!id) return id.error();
      for (const CourseLab& lab : course_.labs)
        if (one.lab.empty() || one.lab == lab.id) entries_[{*id, lab.id}].extensions.push_back(&one);
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> take_marks() {
    std::map<std::tuple<std::string, std::string, std::string>, SourceLocation> seen;
    for (const ManualMark& one : course_.manual) {
      const auto id = students_.find(one.student);
      if (!id) return id.error();
      const auto [first, is_new] = seen.emplace(std::tuple(*id, one.lab, one.item), one.student.where);
      if (!is_new)
        return repeated(one.student, first->second,
                        "give the marks of a lab different names in a column `item`");
      entries_[{*id, one.lab}].marks.push_back(&one);
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> take_times() {
    for (const GivenTime& one : course_.handed_in) {
      const auto id = students_.find(one.student);
      if (!id) return id.error();
      const GivenTime*& time = entries_[{*id, one.lab}].time;
      if (time != nullptr) return repeated(one.student, time->student.where, "keep the row that counts");
      time = &one;
    }
    return std::nullopt;
  }

  static Diagnostic repeated(const NamedStudent& named, const SourceLocation& first,
                             const std::string& advice) {
    return wrong_row(named.where,
                     fmt::format("repeats the row in {}:{}: {}", first.file, first.line, advice));
  }

  void note_labs() {
    const auto& graded = results_.summary.labs;
    std::vector<std::string> missing;
    for (const CourseLab& lab : course_.labs)
      (std::find(graded.begin(), graded.end(), lab.id) == graded.end() ? missing : grades_.graded)
          .push_back(lab.id);
    for (const std::string& lab : graded)
      if (course_.find_lab(lab) == nullptr) warn(lab + " is not in course.json: its results do not count");
    if (!missing.empty())
      warn(fmt::format("the course's percentages do not include {}: the class has no results for {}",
                       fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them"));
  }

  void warn(std::string text) { grades_.warnings.push_back(std::move(text)); }

  StudentGrade grade_of(const std::string& id, const Identity& who) {
    StudentGrade grade{id, who, {}, {}, {}};
    for (const std::string& lab : grades_.graded) grade.labs.push_back(lab_grade(id, *course_.find_lab(lab)));
    conclude(grade);
    return grade;
  }

  const Result* result_of(const std::string& id, const std::string& lab) const {
    for (const GradedSubmission& one : results_.submissions)
      if (one.id == id) return one.find(lab);
    return nullptr;
  }

  /// Points for the automatic part, as the lab's results state them.
  double automatic_maximum(const std::string& lab) const {
    double most = 0;
    for (const GradedSubmission& one : results_.submissions)
      if (const Result* result = one.find(lab)) most = std::max(most, result->score.max_score);
    return most;
  }

  LabGrade lab_grade(const std::string& id, const CourseLab& lab) {
    LabGrade grade;
    grade.lab = lab.id;
    const Result* result = result_of(id, lab.id);
    grade.max_points = to_cents((result != nullptr ? result->score.max_score : automatic_maximum(lab.id)) +
                                lab.manual_points + lab.question_points.value_or(0));
    const Entries& entries = entries_[{id, lab.id}];
    const bool is_fault =
        result == nullptr ? results_.summary.interrupted : result->score.status == ResultStatus::grader_fault;
    if (is_fault) {
      grade.reasons.push_back({"no grade: the grader or its machine failed, not the submission"});
      return grade;
    }
    grade.automatic = result != nullptr ? to_cents(result->score.score) : 0;
    if (lab.question_points) grade.questions = {0, *lab.question_points};
    if (result != nullptr) {
      apply_questions(*result, grade);
      apply_lateness(*result, lab, entries, grade);
    } else {
      grade.reasons.push_back({"nothing was handed in"});
    }
    apply_marks(entries, result != nullptr ? bonus_of(result->score).points : 0, grade);
    return grade;
  }

  void apply_questions(const Result& result, LabGrade& grade) {
    if (!grade.questions) return;
    const JudgedAnswers judged = judge_answers(result.questions, grade.questions->max_points);
    grade.questions->points = judged.points;
    grade.reasons.push_back({judged.reason, judged.points, true});
    if (!judged.note.empty()) notes_[{grade.lab, judged.note}].push_back(result.submission);
  }

  void apply_lateness(const Result& result, const CourseLab& lab, const Entries& entries, LabGrade& grade) {
    const auto hand_in = results_.summary.hand_ins.find(result.submission);
    Lateness lateness(course_.zone, lab);
    for (const Extension* one : entries.extensions) lateness.extend(*one);
    const Judged judged =
        lateness.judge(entries.time, hand_in == results_.summary.hand_ins.end() ? HandIn{} : hand_in->second,
                       result.receipt);
    grade.due = judged.due;
    grade.handed_in = judged.handed_in;
    const double earned = *grade.automatic + (grade.questions ? grade.questions->points : 0);
    if (earned == 0 && !judged.handed_in) return;  // lateness would cost nothing
    for (const std::string& reason : judged.notes) grade.reasons.push_back({reason});
    if (!judged.doubt.empty())
      notes_[{lab.id, judged.doubt + ", so nothing is deducted; give the time in `handed_in`"}].push_back(
          result.submission);
    if (judged.deduction.empty()) return;
    const double lost = to_cents(earned * judged.share_lost);
    grade.reasons.push_back({judged.deduction, -lost});
  }

  /// `bonus`: points that bonus tasks gave on top of the automatic maximum.
  static void apply_marks(const Entries& entries, double bonus, LabGrade& grade) {
    for (const ManualMark* mark : entries.marks) grade.reasons.push_back(reason_of(*mark));
    double points = *grade.automatic;
    for (const Reason& reason : grade.reasons) points += reason.effect;
    const double most = grade.max_points + bonus;
    grade.points = to_cents(std::clamp(points, 0.0, most));
    const double limited = to_cents(*grade.points - points);
    if (limited != 0)
      grade.reasons.push_back(
          {fmt::format("limited to the range from 0 to {} points", points_text(most)), limited});
  }

  /// The percentage of the course: the weighted mean of the labs that count, then extra credit.
  void conclude(StudentGrade& grade) const {
    const auto ungraded =
        std::find_if(grade.labs.begin(), grade.labs.end(), [](const LabGrade& lab) { return !lab.points; });
    if (ungraded != grade.labs.end()) {
      grade.reasons.push_back({"no percentage: " + ungraded->lab + " has no grade"});
      return;
    }
    drop_lowest(grade);
    double sum = 0, weights = 0;
    for (const LabGrade& lab : grade.labs) {
      const CourseLab& rule = *course_.find_lab(lab.lab);
      if (rule.extra_credit || lab.is_dropped) continue;
      sum += rule.weight * lab.percent();
      weights += rule.weight;
    }
    if (weights == 0) {
      grade.reasons.push_back({"no percentage: no lab with a weight was graded"});
      return;
    }
    grade.percent = to_cents(sum / weights);
    for (const LabGrade& lab : grade.labs) add_extra_credit(grade, lab);
  }

  void add_extra_credit(StudentGrade& grade, const LabGrade& lab) const {
    const CourseLab& rule = *course_.find_lab(lab.lab);
    const double more = rule.extra_credit ? to_cents(*rule.extra_credit * lab.percent() / 100) : 0;
    if (more == 0) return;
    grade.percent = to_cents(*grade.percent + more);
    grade.reasons.push_back({fmt::format("extra credit for {}: {} % of {} %", lab.lab,
                                         points_text(lab.percent()), points_text(*rule.extra_credit)),
                             more});
  }

  /// Drops the lowest percentages; of equal ones, that with the largest weight, then the first. One lab is
  /// kept.
  void drop_lowest(StudentGrade& grade) const {
    std::vector<LabGrade*> candidates;
    for (LabGrade& lab : grade.labs)
      if (!course_.find_lab(lab.lab)->extra_credit) candidates.push_back(&lab);
    std::stable_sort(candidates.begin(), candidates.end(), [&](const LabGrade* one, const LabGrade* other) {
      return std::tuple(one->percent(), -course_.find_lab(one->lab)->weight) <
             std::tuple(other->percent(), -course_.find_lab(other->lab)->weight);
    });
    for (std::size_t i = 0; i + 1 < candidates.size() && i < static_cast<std::size_t>(course_.drop_lowest);
         ++i) {
      candidates[i]->is_dropped = true;
      candidates[i]->reasons.push_back({"does not count: lowest percentage"});
      grade.reasons.push_back({fmt::format("{} does not count: lowest percentage ({} %)", candidates[i]->lab,
                                           points_text(candidates[i]->percent()))});
    }
  }

  const Course& course_;
  const ClassResults& results_;
  const Students students_;
  std::map<EntryKey, Entries> entries_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>>
      notes_;  ///< students by lab and note
  CourseGrades grades_;
};

}  // namespace

double to_cents(double points) {
  constexpr double kRepresentation = 1e-9;  // so that 1.005, stored as 1.00499…, is rounded up
  return std::floor(points * 100 + 0.5 + kRepresentation) / 100;
}

double LabGrade::percent() const {
  return max_points > 0 ? to_cents(100 * points.value_or(0) / max_points) : 0;
}

const LabGrade* StudentGrade::find(const std::string& lab) const {
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const LabGrade& one) { return one.lab == lab; });
  return found == labs.end() ? nullptr : &*found;
}

Expected<CourseGrades, Diagnostic> course_grades(const Course& course, const ClassResults& results) {
  return Grading(course, results).run();
}

}  // namespace grader::course
