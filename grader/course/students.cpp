#include "course/students.hpp"

#include <array>

#include <fmt/format.h>

#include "base/spelling.hpp"
#include "report/terminal.hpp"

namespace grader::course {
namespace {

constexpr std::array kIdentifiers = {&Identity::email, &Identity::lms_id, &Identity::sis_id, &Identity::login,
                                     &Identity::id_number};

constexpr std::array kFields = {&Identity::name,  &Identity::email,     &Identity::lms_id, &Identity::sis_id,
                                &Identity::login, &Identity::id_number, &Identity::section};

Diagnostic wrong_name(const NamedStudent& named, const std::string& what) {
  if (named.path.empty()) return wrong_row(named.where, what);
  Diagnostic problem =
      diagnose("WG-G74", fmt::format("`{}` {}", named.path, what),
               "correct the name, or list everybody who takes the course in a CSV file and name "
               "this file in `students`");
  problem.where = named.where;
  return problem;
}

}  // namespace

Students::Students(const ClassResults& results, const Course& course) {
  for (const GradedSubmission& one : results.submissions) {
    all_[one.id] = one.identity;
    add_identifiers(one.id, one.identity);
    const auto hand_in = results.summary.hand_ins.find(one.id);
    if (hand_in == results.summary.hand_ins.end()) continue;
    for (const Identity& person : hand_in->second.people) add_identifiers(one.id, person);
  }
  const auto submissions = ids_;  // rows of the list are not matched with each other
  for (const auto& [key, who] : course.students) {
    const auto known = submissions.find(key);
    const bool is_submission = all_.contains(key);
    if (!is_submission && known != submissions.end() && known->second.size() > 1) continue;  // ambiguous
    const std::string id = is_submission || known == submissions.end() ? key : *known->second.begin();
    Identity& identity = all_[id];
    for (std::string Identity::*field : kFields)
      if ((identity.*field).empty()) identity.*field = who.*field;
    add_identifiers(id, who);
    if (key != id) ids_[key].insert(id);
  }
}

void Students::add_identifiers(const std::string& id, const Identity& who) {
  for (std::string Identity::*field : kIdentifiers)
    if (!(who.*field).empty()) ids_[who.*field].insert(id);
}

Expected<std::string, Diagnostic> Students::find(const NamedStudent& named) const {
  if (all_.contains(named.text)) return named.text;
  const auto found = ids_.find(named.text);
  const std::string shown = printable(named.text);
  if (found == ids_.end()) {
    std::vector<std::string> known;
    for (const auto& [id, who] : all_) known.push_back(id);
    return Unexpected{
        wrong_name(named, fmt::format("names the student \"{}\", who has no submission and is not in "
                                      "the course's list of students{}",
                                      shown, did_you_mean(named.text, known)))};
  }
  if (found->second.size() > 1)
    return Unexpected{wrong_name(
        named, fmt::format("names \"{}\", which means several submissions: {} and {}", shown,
                           printable(*found->second.begin()), printable(*std::next(found->second.begin()))))};
  return *found->second.begin();
}

}  // namespace grader::course
