// Writes result.json, the record of one graded submission (schema/result.schema.json), and summary.json, the
// record of a class (summary.schema.json). Key order is fixed, numbers have the shortest form that reads back
// to the same value, and invalid UTF-8 becomes U+FFFD, so equal results give equal bytes. Tested by
// report/result_json_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/hand_in.hpp"
#include "report/result.hpp"

namespace grader {

/// Ends with a line end.
std::string result_json(const Result& result);

/// One row of a class: the data of a submission in the table, the gradebook and summary.json.
struct ClassRow {
  std::string submission;
  std::string lab;
  ResultStatus status = ResultStatus::graded;
  Verdict verdict = Verdict::accepted;
  double score = 0, max_score = 0;
  std::string code;  ///< of the first diagnostic; empty if there is none
  std::string what;
  std::string file;                              ///< its result file, relative to the output folder
  bool sandboxed = true;                         ///< false: graded with --unsafe-no-sandbox
  std::optional<QuestionsTally> questions = {};  ///< only if answers were handed in
  double max_bonus = 0;                          ///< what bonus tasks can give on top of max_score
  std::string refused_answers = {};              ///< why no answer counts; not in summary.json's rows
};
ClassRow class_row(const Result& result, std::string file);

struct ClassSummary {
  std::vector<std::string> labs;
  std::vector<ClassRow> rows;  ///< by submission, then lab
  bool interrupted = false;    ///< only finished results are in `rows`
  std::size_t expected_rows = 0;
  std::map<std::string, HandIn> hand_ins;  ///< by submission
};
std::string summary_json(const ClassSummary& summary);

/// The folder in the output folder with the grades of a course, which are computed from the results: outdated
/// as soon as these change.
inline constexpr const char* kCourseFolder = "course";

}  // namespace grader
