#include "app/course_option.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/exit_codes.hpp"
#include "course/renderings.hpp"
#include "course/write_grades.hpp"
#include "lab/lab.hpp"

namespace grader::app {

void add_course_option(Subcommand command, std::string& file) {
  command
      .option(
          "--course", file,
          "course.json with the rules of a course: weights, due times, late policy, extensions, points for "
          "questions, manual points")
      .type_name("FILE");
}

Expected<std::optional<course::Course>, Diagnostic> course_named(const std::string& file) {
  if (file.empty()) return std::optional<course::Course>();
  auto loaded = course::load_course(file);
  if (!loaded) return Unexpected{loaded.error()};
  return std::optional(*std::move(loaded));
}

namespace {

std::optional<Diagnostic> mismatch_of_lab(const course::CourseLab& lab, const std::string& file,
                                          const KitPaths& kit) {
  const std::filesystem::path folder = kit.root / "labs" / lab.id;
  if (!std::filesystem::exists(folder / "lab.json"))
    return diagnose_file("WG-G74", file,
                         fmt::format("names the lab \"{}\", which the kit does not have", lab.id),
                         "correct the name; a lab's name is that of its folder in labs/");
  if (!lab.question_points) return std::nullopt;
  const auto asking = load_lab(folder);
  if (!asking) return asking.error();
  if (!asking->questions.empty()) return std::nullopt;
  return diagnose_file("WG-G74", file,
                       fmt::format("gives `question_points` for {}, which asks no questions", lab.id),
                       "remove the key, or add questions to the lab's lab.json");
}

}  // namespace

std::optional<Diagnostic> mismatch(const course::Course& course, const std::string& file, const KitPaths& kit,
                                   const std::vector<Submission>& submissions) {
  for (const course::CourseLab& lab : course.labs)
    if (auto problem = mismatch_of_lab(lab, file, kit)) return problem;
  ClassResults ungraded;
  for (const Submission& one : submissions) {
    GradedSubmission& made = ungraded.submissions.emplace_back();
    made.id = one.id;
    ungraded.summary.hand_ins[one.id] = one.hand_in;
  }
  const auto grades = course::course_grades(course, ungraded);
  return grades ? std::nullopt : std::optional(grades.error());
}

std::optional<int> grade_course(const std::string& dir, const course::Course& course, bool is_shown,
                                const Console& console) {
  const auto grades = course::write_grades(dir, course);
  if (!grades) return complain(console, grades.error(), grades.error().code == "WG-G21" ? kFault : kUsage);
  if (!is_shown) return std::nullopt;
  print("\n" + course::grades_text(course, *grades, console.out));
  print(fmt::format("\nthe course's grades: {0}/course/gradebook.csv; for programs: {0}/course/grades.json\n",
                    dir));
  return std::nullopt;
}

}  // namespace grader::app
