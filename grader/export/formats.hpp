// The formats of `warpgrade export`. Each format is a pure function from a class to bytes. A system's
// requirements, with their source, are at the top of each format's .cpp file. Covered by export/*_test.cpp,
// which check every file against the rules of the system.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "export/class_results.hpp"

namespace grader {

/// The field by which Moodle identifies people.
enum class MoodleIdentity {
  email,
  username,
  idnumber,
  userid,
  participant  ///< the number in an assignment's grading worksheet and in its downloads
};

struct ExportOptions {
  std::map<std::string, std::string> names;  ///< lab → its name in the other system; absent: the lab's id
  MoodleIdentity moodle_identity = MoodleIdentity::email;
  bool percent = false;  ///< Moodle: grades are percentages of the labs' points

  const std::string& name_of(const std::string& lab) const;
};

struct ExportedFile {
  std::string
      name;  ///< the submission's file_name, without extension; empty in a format with one file for the class
  std::string bytes;
};

/// A submission that is in no file, or lacks one of its grades, and the reason, which must be reported.
struct LeftOut {
  std::string submission;
  std::string why;
};

struct Exported {
  std::vector<ExportedFile> files;
  std::vector<LeftOut> left_out;
};

struct ExportFormat {
  std::string_view name;         ///< "gradescope"
  std::string_view description;  ///< for --help
  std::string_view extension;    ///< of the submissions' files; empty: one file for the class
  /// Error WG-G59: this format cannot represent the class.
  Expected<Exported, Diagnostic> (*make)(const ClassResults&, const ExportOptions&) = nullptr;
};
const std::vector<ExportFormat>& export_formats();
const ExportFormat* find_format(std::string_view name);

Expected<Exported, Diagnostic> export_gradescope(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_prairielearn(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_autolab(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_github_classroom(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_canvas(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_moodle(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_junit(const ClassResults& all, const ExportOptions& options);
Expected<Exported, Diagnostic> export_csv(const ClassResults& all, const ExportOptions& options);

/// Why a submission whose author the other system cannot find is left out: "no Canvas identifier; pass …".
std::string unidentified(std::string_view identifier);

/// Makes a WG-G59.
Diagnostic not_expressible(std::string what, std::string next_step);

}  // namespace grader
