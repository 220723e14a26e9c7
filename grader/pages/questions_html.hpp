// Answers to a lab's questions on the pages. Right answers are never shown. Pure. Covered by
// pages/questions_html_test.cpp.
#pragma once

#include <string>

#include "pages/report.hpp"

namespace grader::pages {

/// The part of a submission's page: a row per question. Empty if no answers were handed in.
std::string questions_html(const Result& result);

/// The section of the class's page: a table per lab with the statistics of its questions. Empty if no
/// answers were handed in.
std::string questions_section(const ClassResults& all);

}  // namespace grader::pages
