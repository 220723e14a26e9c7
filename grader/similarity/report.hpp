// Reports of the results of compare(), for people and programs. Names and sources are untrusted and are
// escaped. Golden files: tests/similarity/golden/.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "similarity/compare.hpp"

namespace grader::similarity {

/// "94 %", rounded down, so that 100 % means identical.
std::string percent(double share);

/// One table per lab; pairs from the threshold on are marked.
std::string similarity_text(const std::vector<Comparison>& labs, const Terminal& terminal);

/// JSON as in schema/similarity.schema.json, with a newline at the end.
std::string similarity_json(const std::vector<Comparison>& labs);

/// One page without scripts and external resources: one table per lab, and for each pair the common fragments
/// side by side.
std::string similarity_html(const std::vector<Comparison>& labs);

}  // namespace grader::similarity
