// The pages of a graded class: one for the class, and one for each submission. Pure: the same results give
// the same bytes. Everything that a submission contains or causes is untrusted and escaped. Covered by
// pages/*_test.cpp, and in a browser by pages/browser/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "course/read_grades.hpp"
#include "export/class_results.hpp"
#include "report/comparison.hpp"
#include "report/line_counters.hpp"

namespace grader::pages {

/// Two submissions that `warpgrade similarity` lists.
struct SimilarPair {
  std::string lab, first, second;
  double similarity = 0;   ///< 0 to 1
  bool is_marked = false;  ///< at or above the threshold
  struct Fragment {
    int first_line = 0, second_line = 0;  ///< where it starts
    int lines = 0;                        ///< its length in the first submission
  };
  std::optional<Fragment> longest;
};

/// A picture of a submission: a file that `warpgrade pictures`, `check` or `profile` wrote.
struct StoredPicture {
  std::string name;   ///< of the file: "camera-out-errors.png"
  std::string bytes;  ///< PNG or SVG
};

/// What the report's --pictures adds to one lab of a submission.
struct LabPictures {
  std::vector<StoredPicture> files;  ///< by name
  std::optional<FileLineCounters> lines = {};
  std::string lines_problem = {};  ///< why a file of line counters cannot be used; empty: no problem
};

struct ReportInput {
  ClassResults all;
  std::map<std::string, std::string> sources;  ///< the submitted files, by SHA-256
  std::optional<std::vector<SimilarPair>> similar;
  std::optional<Comparison> changes;  ///< from an earlier grading to this one
  std::optional<course::StoredGrades> course;
  /// By the submission's file_name and lab.
  std::map<std::pair<std::string, std::string>, LabPictures> pictures;
};

struct Page {
  std::string path;  ///< "index.html", "submissions/ada.l.html"
  std::string html;
};

enum class Audience {
  instructor,
  student,  ///< only the pages of submissions, without what student_view() removes
};

std::vector<Page> make_pages(ReportInput input, Audience audience);

/// The class's page alone.
std::string class_page(const ReportInput& input);
/// The page of one submission, which is one of `input`.
std::string submission_page(const ReportInput& input, const GradedSubmission& one, Audience audience);

/// "submissions/ada.l.html": where a page links to a submission's page from the class's page.
std::string page_address(const GradedSubmission& one);
/// The anchor of a source line on a submission's page: "02-tiled-matmul-L12".
std::string line_anchor(const std::string& lab, int line);

}  // namespace grader::pages
