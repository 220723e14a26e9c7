// Handwritten results for the tests of reports, and golden files to compare text with.
#pragma once

#include <string>

#include "lab/lab.hpp"
#include "report/result.hpp"
#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace testing {

grader::Lab sample_lab();
grader::Result accepted_result();
grader::Lab bonus_lab();          ///< sample_lab() with a bonus task
grader::Result bonus_result();    ///< accepted_result(), but the bonus task of bonus_lab() fails
grader::Result failing_result();  ///< an out-of-bounds write in two cases, then skipped tasks
grader::Result limited_result();  ///< as failing_result(), but with the speed-up, whose points are limited
grader::Result both_devices_result();  ///< the devices disagree on boundary/one
grader::Result compile_error_result();
grader::QuestionsOutcome some_answers();  ///< of four questions: two right, one wrong, one open
grader::ClassSummary sample_class();
grader::ClassSummary sample_class_of_two_labs();  ///< with names that attack terminals and spreadsheets

grader::Terminal plain(std::size_t width = 80);
grader::Terminal window(std::size_t width);  ///< a terminal without colour
grader::Terminal colored();
grader::Terminal ascii();

/// The content of tests/report/golden/<name>. With WARPGRADE_APPROVE=1 in the environment, `actual` first
/// replaces the golden file; check the difference before you commit it.
std::string golden(const std::string& name, const std::string& actual);

}  // namespace testing
