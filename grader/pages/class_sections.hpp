// The sections of the class's page; empty if the class has nothing to show there. Covered by
// pages/class_page_test.cpp.
#pragma once

#include <string>

#include "pages/report.hpp"

namespace grader::pages {

/// All submissions: a table that can be sorted and filtered. With a course, it has the students' percentages.
std::string submissions_section(const ReportInput& input);
/// Histograms of the course's percentages, of the points and of the speed-ups.
std::string distributions_section(const ReportInput& input);
std::string items_section(const ClassResults& all);
std::string diagnostics_section(const ClassResults& all);
std::string similarity_section(const ReportInput& input);
std::string changes_section(const ReportInput& input);
/// The settings of the runs, and how many results have each.
std::string provenance_section(const ClassResults& all);

/// A link to a submission's page.
std::string submission_link(const GradedSubmission& one);
/// The same by id; text if the class has no such submission.
std::string submission_link(const ClassResults& all, const std::string& id);

}  // namespace grader::pages
