// A submission's source with the findings below their lines and counters before them. Pure. Covered by
// pages/submission_page_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "report/line_counters.hpp"

namespace grader::pages {

/// `id` is the anchor of the finding's full description on the same page.
struct Finding {
  const Diagnostic* diagnostic = nullptr;
  std::string id;
};

/// True if the finding's line in `source` is the line that it quotes. A diagnostic about a header of the kit,
/// for example, has a line number of another file.
bool points_into(const Diagnostic& diagnostic, std::string_view source);

/// The numbered lines of a source, at most 4,000 of them. `lab` is part of their anchors. With `counters`,
/// the lines that have counters begin with them.
std::string source_listing(std::string_view source, const std::string& lab,
                           const std::vector<Finding>& findings, const FileLineCounters* counters = nullptr);

}  // namespace grader::pages
