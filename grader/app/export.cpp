#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/course_option.hpp"
#include "app/exit_codes.hpp"
#include "base/spelling.hpp"
#include "course/apply.hpp"
#include "course/renderings.hpp"
#include "export/class_results.hpp"
#include "export/destination.hpp"
#include "export/formats.hpp"
#include "export/roster.hpp"

namespace grader::app {
namespace {

struct ExportCommand {
  std::string folder, format, out, roster, match = "submission", identity = "email", course;
  std::optional<std::string> points;
  std::vector<std::string> submissions, labs, names;
  bool force = false, percent = false;
};

MoodleIdentity moodle_identity(const std::string& word) {
  if (word == "username") return MoodleIdentity::username;
  if (word == "idnumber") return MoodleIdentity::idnumber;
  if (word == "userid") return MoodleIdentity::userid;
  return word == "participant" ? MoodleIdentity::participant : MoodleIdentity::email;
}

/// Parses the --name options, for example "02-tiled-matmul=Lab 2 (12345)".
Expected<ExportOptions, Diagnostic> options_of(const ExportCommand& command, const ClassSummary& summary) {
  ExportOptions options;
  options.moodle_identity = moodle_identity(command.identity);
  options.percent = command.percent;
  if (command.percent && command.format != "moodle")
    return Unexpected{usage_error("--percent is for the format moodle, whose grades go up to 100",
                                  "leave it out: the other formats take the labs' points")};
  for (const std::string& text : command.names) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      return Unexpected{usage_error("--name takes LAB=NAME, not `" + printable(text) + "`",
                                    "for example --name \"02-tiled-matmul=Lab 2\"")};
    const auto lab = completed(text.substr(0, equals), summary.labs);
    if (!lab)
      return Unexpected{
          usage_error(fmt::format("--name: the class has no lab `{}`", printable(text.substr(0, equals))),
                      fmt::format("its labs are {}", fmt::join(summary.labs, ", ")))};
    options.names[*lab] = text.substr(equals + 1);
  }
  return options;
}

/// The results to export; with --course, the course's grades are in the place of the automatic points.
struct ToExport {
  ClassResults all;
  std::optional<course::CourseGrades> grades;
};

Expected<ToExport, Diagnostic> graded_class(const ExportCommand& command, const Console& console) {
  const auto course = course_named(command.course);
  if (!course) return Unexpected{course.error()};
  auto all = read_class(command.folder);
  if (!all) return Unexpected{all.error()};
  if (!*course) return ToExport{*std::move(all), std::nullopt};
  auto grades = course::course_grades(**course, *all);
  if (!grades) return Unexpected{grades.error()};
  for (const std::string& warning : grades->warnings) say("note: " + printable(warning, console.err.unicode));
  ClassResults adjusted = course::with_course_grades(*std::move(all), *grades);
  return ToExport{std::move(adjusted), *std::move(grades)};
}

Expected<ToExport, Diagnostic> results_to_export(const ExportCommand& command, const Console& console) {
  auto made = graded_class(command, console);
  if (!made) return made;
  auto all = selected(std::move(made->all), command.submissions, command.labs);
  if (!all) return Unexpected{all.error()};
  made->all = *std::move(all);
  if (command.roster.empty()) return made;
  const auto roster = read_roster(command.roster, command.match);
  if (!roster) return Unexpected{roster.error()};
  for (const std::string& id : apply_roster(made->all, *roster))
    say("note: the roster does not contain " + printable(id, console.err.unicode));
  return made;
}

/// Puts the points of an earlier run in the place of this run's, which used public inputs only.
std::optional<Diagnostic> use_earlier_points(ClassResults& all, const std::string& text) {
  double points = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), points);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(points >= 0 && points < 1e6))
    return usage_error("--points takes a number of points, not `" + printable(text) + "`",
                       "for example --points 87.5");
  if (all.submissions.size() != 1 || all.submissions.front().results.size() != 1)
    return usage_error("--points is for one result",
                       "name one submission with --submission and one lab with --lab");
  GradedSubmission& one = all.submissions.front();
  Score& score = one.results.front().score;
  const std::string reason =
      "the points of the last run with hidden inputs count; this run used public inputs only, because the "
      "number of "
      "hidden runs is limited";
  points = std::min(points, score.max_score + bonus_of(score).max_points);
  one.adjustments[one.results.front().lab] = {points - score.score, 0, {reason}, {reason}};
  score.score = points;
  return std::nullopt;
}

Expected<Exported, Diagnostic> make_export(const ExportFormat& format, const ToExport& what,
                                           const ExportOptions& options) {
  if (format.name == "csv" && what.grades)
    return Exported{{{"", course::grades_csv(*what.grades, what.all)}}, {}};
  return format.make(what.all, options);
}

/// Writes the export to --out; without --out and with exactly one file, to stdout.
std::optional<Diagnostic> deliver(const ExportCommand& command, const ExportFormat& format,
                                  const ClassResults& all, const Exported& exported) {
  const Existing existing = command.force ? Existing::replace : Existing::keep;
  const bool folder = !format.extension.empty() && command.submissions.size() != 1;
  if (folder && command.out.empty())
    return usage_error(fmt::format("{} writes one file per submission", command.format),
                       "name a folder with --out, or one submission with --submission");
  if (folder) return write_folder(command.out, exported, format, all, existing);
  if (exported.files.empty()) {  // a file from an earlier export must not pass for this one
    std::error_code ignored;
    if (command.force && !command.out.empty()) std::filesystem::remove(command.out, ignored);
    return std::nullopt;
  }
  if (!command.out.empty()) return write_one(command.out, exported.files.front().bytes, existing);
  print(exported.files.front().bytes);
  return std::nullopt;
}

/// One line per submission; one line per reason if nothing was written.
void report_left_out(const Exported& exported, const Console& console) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const LeftOut& one : exported.left_out) {
    const std::string submission = printable(one.submission, console.err.unicode);
    if (exported.files.empty())
      by_reason[one.why].push_back(submission);
    else
      say(fmt::format("left out: {}: {}", submission, one.why));
  }
  for (const auto& [why, submissions] : by_reason)
    say(fmt::format(
        "left out: {}: {}",
        submissions.size() == 1 ? submissions.front() : fmt::format("{} submissions", submissions.size()),
        why));
  if (exported.files.empty()) say("nothing was written");
}

int conclude(const ClassResults& all, const Exported& exported, const Console& console) {
  report_left_out(exported, console);
  const bool faults = std::any_of(all.submissions.begin(), all.submissions.end(),
                                  [&](const GradedSubmission& one) { return all.lacks_grade(one); });
  if (faults) return kFault;
  return exported.left_out.empty() ? kPassed : kFailed;
}

int export_class(const ExportCommand& command, const Console& console) {
  const ExportFormat& format = *find_format(command.format);
  auto what = results_to_export(command, console);
  if (!what) return complain(console, what.error(), kUsage);
  if (command.points)
    if (const auto problem = use_earlier_points(what->all, *command.points))
      return complain(console, *problem, kUsage);
  const ClassResults* all = &what->all;
  if (all->submissions.empty()) {
    say("nothing to export: the class has no results");
    return kNothingGraded;
  }
  if (all->summary.interrupted)
    say("note: grading was interrupted; submissions without a result get no grade here");
  const auto options = options_of(command, all->summary);
  if (!options) return complain(console, options.error(), kUsage);
  const auto exported = make_export(format, *what, *options);
  if (!exported) return complain(console, exported.error(), kUsage);
  if (const auto problem = deliver(command, format, *all, *exported))
    return complain(console, *problem, problem->code == "WG-G56" ? kFault : kUsage);
  return conclude(*all, *exported, console);
}

void add_options(Subcommand root, ExportCommand& command) {
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
  root.option("DIR", command.folder, "the folder that `warpgrade grade --out` wrote").required();
  root.option("--format", command.format, fmt::format("{}", fmt::join(names, ", ")))
      .required()
      .one_of(names)
      .type_name("FORMAT");
  root.option("--out", command.out,
              "file, or folder for formats that write one file per submission (default: stdout)")
      .type_name("PATH");
  root.option("--submission", command.submissions, "only this submission; may be repeated").type_name("ID");
  root.option("--lab", command.labs, "only this lab; may be repeated").type_name("LAB");
  root.option("--name", command.names, "name of a lab in the other system; may be repeated")
      .type_name("LAB=NAME");
  root.option("--roster", command.roster, "CSV file that assigns submissions to people").type_name("FILE");
  root.option("--match", command.match,
              "column of the roster that contains the submissions' ids (default: submission)")
      .type_name("COLUMN");
  root.option("--identity", command.identity,
              "field by which Moodle identifies people: email, username, idnumber, userid, participant "
              "(default: email)")
      .one_of({"email", "username", "idnumber", "userid", "participant"})
      .type_name("KIND");
  root.flag("--percent", command.percent,
            "Moodle: grades as percentages of the labs' points, for labs with more than 100 points");
  add_course_option(root, command.course);
  root.option("--points", command.points,
              "for adapters: points of an earlier run that count instead, because the limit of runs with "
              "hidden inputs is "
              "reached")
      .type_name("N")
      .excludes("--course");
  root.flag("--force", command.force, "replace existing files");
}

}  // namespace

void add_export(Subcommand root, CommandLine& line) {
  auto options = std::make_shared<ExportCommand>();
  Subcommand command = root.subcommand("export", R"help(Examples:
  warpgrade export results --format csv
  warpgrade export results --format gradescope --out gradescope
  warpgrade export results --format canvas --roster canvas-gradebook.csv --match "SIS Login ID" \
    --name "02-tiled-matmul=Lab 2 (12345)" --out upload.csv
  warpgrade export results --course course.json --format moodle --out upload.csv

Writes the results of a class in the formats of other systems. Reports results that it cannot write)help");
  add_options(command, *options);
  command.callback([options, &line] {
    line.chosen = [options](const Console& console) { return export_class(*options, console); };
  });
}

}  // namespace grader::app
