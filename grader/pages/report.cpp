#include "pages/report.hpp"

#include <fmt/format.h>

#include "pages/html.hpp"
#include "pages/student_view.hpp"

namespace grader::pages {

std::string page_address(const GradedSubmission& one) {
  return "submissions/" + file_address(one.file_name) + ".html";
}

std::string line_anchor(const std::string& lab, int line) { return fmt::format("{}-L{}", anchor(lab), line); }

std::vector<Page> make_pages(ReportInput input, Audience audience) {
  std::vector<Page> pages;
  if (audience == Audience::instructor)
    pages.push_back({"index.html", class_page(input)});
  else
    input = student_view(std::move(input));
  for (const GradedSubmission& one : input.all.submissions)
    pages.push_back({"submissions/" + one.file_name + ".html", submission_page(input, one, audience)});
  return pages;
}

}  // namespace grader::pages
