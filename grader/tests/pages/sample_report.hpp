// A report on a handwritten class whose names, sources and messages attack the pages, and a check that a page
// has no other markup than its own.
#pragma once

#include <string>

#include "pages/report.hpp"

namespace testing {

/// The class of export/sample_class.hpp with sources, similar pairs, changes and pictures.
grader::pages::ReportInput attacked_report();

/// The same with `count` further submissions, whose results vary.
grader::pages::ReportInput large_report(std::size_t count);

/// A result with a speed-up, whose source is `source`.
void add_submission(grader::pages::ReportInput& input, const std::string& id, grader::Result result,
                    const std::string& source);

/// What a page contains that it must not; empty if all is well. Every tag must be one that the pages use,
/// without attributes that run scripts, without addresses in the network.
std::string foreign_markup(const std::string& html);

}  // namespace testing
