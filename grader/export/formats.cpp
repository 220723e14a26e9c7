#include "export/formats.hpp"

#include <algorithm>

#include "report/class_text.hpp"

namespace grader {

const std::string& ExportOptions::name_of(const std::string& lab) const {
  const auto found = names.find(lab);
  return found == names.end() ? lab : found->second;
}

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {"gradescope", "results.json of an autograder", ".json", export_gradescope},
      {"prairielearn", "results.json of an external grader", ".json", export_prairielearn},
      {"autolab", "output of a driver, the last line for Autolab", ".txt", export_autolab},
      {"github-classroom", "result of a runner, in base64", ".txt", export_github_classroom},
      {"canvas", "gradebook CSV", "", export_canvas},
      {"moodle", "grades CSV, or an assignment's grading worksheet", "", export_moodle},
      {"junit", "JUnit XML, as ctest writes it", "", export_junit},
      {"csv", "one row per submission", "", export_csv}};
  return formats;
}

const ExportFormat* find_format(std::string_view name) {
  const auto& formats = export_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ExportFormat& format) { return format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

Diagnostic not_expressible(std::string what, std::string next_step) {
  return diagnose("WG-G59", std::move(what), std::move(next_step));
}

std::string unidentified(std::string_view identifier) {
  return fmt::format("no {}; pass --roster FILE (example: handout/instructor/sample-course/roster.csv)",
                     identifier);
}

Expected<Exported, Diagnostic> export_csv(const ClassResults& all, const ExportOptions& /*options*/) {
  return Exported{{{"", gradebook_csv(all.summary)}}, {}};
}

}  // namespace grader
