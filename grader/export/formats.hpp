// The formats of `warpgrade export`: each a pure function from a class to bytes. What a system demands of a
// file, and where it says so, stands at the head of each format's source. Covered by export/*_test.cpp, which
// check every file against the system's own rules.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "export/class_results.hpp"

namespace grader {

/// How Moodle is to recognise people.
enum class MoodleIdentity {
  email,
  username,
  idnumber,
  userid,
  participant  ///< by the number in an assignment's grading worksheet and in its downloads
};

struct ExportOptions {
  std::map<std::string, std::string> names;  ///< lab → what the other system calls it; missing: the lab's id
  MoodleIdentity moodle_identity = MoodleIdentity::email;

  const std::string& name_of(const std::string& lab) const;
};

struct ExportedFile {
  std::string
      name;  ///< the submission's file_name, without extension; empty in a format with one file for all
  std::string bytes;
};

/// A submission that is in no file, or without one of its grades, and why: people must know.
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
  std::string_view description;  ///< for the help
  std::string_view extension;    ///< of the file for each submission; empty: there is one file for all
  /// WG-G59: the class cannot be said in this format at all.
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

/// WG-G59.
Diagnostic not_expressible(std::string what, std::string next_step);

}  // namespace grader
