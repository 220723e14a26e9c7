#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/spelling.hpp"
#include "course/course.hpp"
#include "course/csv_files.hpp"
#include "lab/json_reader.hpp"

namespace grader::course {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCourseBytes = std::size_t{1} << 20U;
constexpr double kMaxAddedPoints = 10000;  // of a part that the course adds to a lab
constexpr int kMaxGraceMinutes = 7 * 24 * 60, kMaxDays = 366;
constexpr const char* kCourseSchema = "warpgrade.course/1";

/// A problem with a file that course.json names.
struct OtherFileProblem : std::runtime_error {
  explicit OtherFileProblem(Diagnostic reason)
      : std::runtime_error(reason.what), diagnostic(std::move(reason)) {}
  Diagnostic diagnostic;
};

/// What the times in the file are read with.
struct Clock {
  TimeZone zone;
  bool is_given = false;  ///< the file names its time zone
};

Clock read_clock(const JsonNode& root) {
  const auto node = root.find("time_zone");
  if (!node) return {};
  auto zone = TimeZone::named(node->text());
  if (!zone)
    node->refuse(
        fmt::format("is \"{}\", which {}; write a name like \"Europe/Berlin\" or an offset like \"+01:00\"",
                    node->text(), zone.error()));
  return {*std::move(zone), true};
}

Instant read_due(const JsonNode& node, const Clock& clock) {
  const auto written = read_time(node.text());
  if (!written) node.refuse_value("a time like \"2026-11-20 23:59\" or \"2026-11-20 23:59 +01:00\"");
  if (!written->offset && !clock.is_given)
    node.refuse("has no offset from UTC: add one (\"+01:00\"), or the key \"time_zone\" to the file");
  const auto when = written->in(clock.zone);
  if (!when) node.refuse("is a time that clocks skip: they are put forward then");
  if (clock.is_given && written->offset && clock.zone.offset_at(*when) != *written->offset)
    node.refuse(fmt::format("has another offset than `time_zone`, where this is {}", clock.zone.text(*when)));
  return *when;
}

double number_between(const JsonNode& node, double least, double most) {
  const double value = node.number();
  if (value < least || value > most) node.refuse_value(fmt::format("a number from {} to {}", least, most));
  return value;
}

LatePolicy read_late(const JsonNode& node) {
  node.allow_keys({"percent_per_day", "grace_minutes", "hard_end_days"});
  LatePolicy late;
  if (const auto percent = node.find("percent_per_day"))
    late.percent_per_day = number_between(*percent, 0, 100);
  if (const auto grace = node.find("grace_minutes"))
    late.grace_minutes = static_cast<int>(grace->integer(0, kMaxGraceMinutes));
  if (const auto end = node.find("hard_end_days"))
    late.hard_end_days = static_cast<int>(end->integer(0, kMaxDays));
  return late;
}

double read_question_points(const JsonNode& node) {
  const double points = node.number();
  if (points <= 0 || points > kMaxAddedPoints)
    node.refuse_value(fmt::format(
        "a number above 0, up to {}; leave the key out if the questions give no points", kMaxAddedPoints));
  return points;
}

CourseLab read_course_lab(const JsonNode& node, const Clock& clock, const LatePolicy& late) {
  node.allow_keys({"lab", "weight", "extra_credit", "manual_points", "question_points", "due", "late"});
  CourseLab lab;
  lab.id = node.at("lab").name();
  if (const auto weight = node.find("weight")) lab.weight = weight->positive();
  if (const auto extra = node.find("extra_credit")) {
    if (node.find("weight")) node.refuse("has both \"weight\" and \"extra_credit\"");
    lab.extra_credit = number_between(*extra, 0, 100);
  }
  if (const auto points = node.find("manual_points"))
    lab.manual_points = number_between(*points, 0, kMaxAddedPoints);
  if (const auto points = node.find("question_points")) lab.question_points = read_question_points(*points);
  if (const auto due = node.find("due")) lab.due = read_due(*due, clock);
  const auto own = node.find("late");
  lab.late = own ? read_late(*own) : late;
  return lab;
}

std::vector<std::string> ids_of(const Course& course) {
  std::vector<std::string> ids;
  for (const CourseLab& lab : course.labs) ids.push_back(lab.id);
  return ids;
}

/// The full id of a lab that can be abbreviated.
std::string read_lab_name(const JsonNode& node, const Course& course) {
  const std::string name = node.text();
  if (const auto id = completed(name, ids_of(course))) return *id;
  node.refuse(fmt::format("names the lab \"{}\", which is not in `labs`{}", name,
                          did_you_mean(name, ids_of(course))));
}

Extension read_extension(const JsonNode& node, const Course& course, const Clock& clock,
                         const fs::path& file) {
  node.allow_keys({"student", "lab", "due", "days", "reason"});
  Extension one;
  const JsonNode student = node.at("student");
  one.student = {student.text(), {file.string(), 0}, student.path()};
  if (const auto lab = node.find("lab")) one.lab = read_lab_name(*lab, course);
  const auto due = node.find("due"), days = node.find("days");
  if (due.has_value() == days.has_value()) node.refuse("needs one of the keys \"due\" and \"days\"");
  if (due && one.lab.empty()) node.refuse("lacks the key \"lab\", which \"due\" needs");
  const CourseLab* named = course.find_lab(one.lab);
  if (named != nullptr && !named->due) node.refuse(fmt::format("is for {}, which has no due time", one.lab));
  if (due) one.due = read_due(*due, clock);
  if (due && *one.due < *named->due) due->refuse("is earlier than the lab's own due time");
  if (days) one.days = static_cast<int>(days->integer(1, kMaxDays));
  if (const auto reason = node.find("reason")) one.reason = reason->text();
  return one;
}

Roster read_students(const JsonNode& node, const fs::path& folder) {
  node.allow_keys({"file", "match"});
  const auto match = node.find("match");
  auto roster = read_roster(folder / node.at("file").text(), match ? match->text() : "submission");
  if (!roster) throw OtherFileProblem(roster.error());
  return *std::move(roster);
}

/// Reads each of the CSV files that `key` lists, with `read`, into `rows`.
template <class Row, class Read>
void read_files(const JsonNode& root, const std::string& key, const Course& course, const fs::path& folder,
                std::vector<Row>& rows, Read read) {
  const auto list = root.find(key);
  if (!list) return;
  for (const JsonNode& node : list->elements()) {
    node.allow_keys({"file", "lab"});
    const auto lab = node.find("lab");
    std::string id = lab ? read_lab_name(*lab, course) : "";
    if (!lab && course.labs.size() == 1) id = course.labs.front().id;
    auto more = read(folder / node.at("file").text(), id, course);
    if (!more) throw OtherFileProblem(more.error());
    rows.insert(rows.end(), more->begin(), more->end());
  }
}

int read_drop_lowest(const JsonNode& root, const Course& course) {
  const auto node = root.find("drop_lowest");
  const auto weighted = std::count_if(course.labs.begin(), course.labs.end(),
                                      [](const CourseLab& lab) { return !lab.extra_credit; });
  if (weighted == 0) root.at("labs").refuse_value("a list with at least one lab that is no extra credit");
  if (!node) return 0;
  const auto dropped = node->integer(0, std::numeric_limits<int>::max());
  if (dropped >= weighted)
    node->refuse_value(fmt::format("at most {}, so that a lab counts that is no extra credit", weighted - 1));
  return static_cast<int>(dropped);
}

Course read_course(const JsonNode& root, const fs::path& file) {
  root.allow_keys({"schema", "title", "time_zone", "labs", "late", "drop_lowest", "extensions", "students",
                   "manual", "handed_in"});
  root.at("schema").one_of({kCourseSchema});
  Course course;
  if (const auto title = root.find("title")) course.title = title->text();
  const Clock clock = read_clock(root);
  course.zone = clock.zone;
  const auto late = root.find("late");
  const LatePolicy policy = late ? read_late(*late) : LatePolicy{};
  for (const JsonNode& node : root.at("labs").elements()) {
    CourseLab lab = read_course_lab(node, clock, policy);
    if (course.find_lab(lab.id) != nullptr) node.at("lab").refuse(fmt::format("repeats \"{}\"", lab.id));
    course.labs.push_back(std::move(lab));
  }
  course.drop_lowest = read_drop_lowest(root, course);
  if (const auto list = root.find("extensions"))
    for (const JsonNode& node : list->elements())
      course.extensions.push_back(read_extension(node, course, clock, file));
  const fs::path folder = file.parent_path();
  if (const auto students = root.find("students")) course.students = read_students(*students, folder);
  read_files(root, "manual", course, folder, course.manual, read_manual_marks);
  read_files(root, "handed_in", course, folder, course.handed_in, read_given_times);
  return course;
}

Diagnostic wrong_course(const fs::path& file, std::string what, std::size_t line = 0) {
  Diagnostic problem = diagnose_file("WG-G74", file.string(), std::move(what),
                                     "correct the file; handout/instructor/course.md explains it, and "
                                     "grader/schema/course.schema.json describes every key");
  problem.where->line = static_cast<int>(line);
  return problem;
}

}  // namespace

const CourseLab* Course::find_lab(const std::string& id) const {
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const CourseLab& lab) { return lab.id == id; });
  return found == labs.end() ? nullptr : &*found;
}

Expected<Course, Diagnostic> load_course(const fs::path& file) {
  const auto text = read_file(file, kMaxCourseBytes);
  if (!text) return Unexpected{wrong_course(file, "cannot be read: " + text.error())};
  try {
    const auto document = parse_json(*text);
    if (!document)
      return Unexpected{wrong_course(file,
                                     fmt::format("is not JSON: line {}, column {}: {}", document.error().line,
                                                 document.error().column, document.error().what),
                                     document.error().line)};
    Course course = read_course(JsonNode(*document), file);
    course.sha256 = sha256_hex(*text);
    return course;
  } catch (const JsonProblem& problem) {
    return Unexpected{wrong_course(file, problem.what())};
  } catch (const OtherFileProblem& problem) {
    return Unexpected{problem.diagnostic};
  }
}

}  // namespace grader::course
