// What compare() found, for people and programs. Names and sources are untrusted: they are escaped. Goldens:
// tests/similarity/golden/.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "similarity/compare.hpp"

namespace grader::similarity {

/// "94 %", rounded down, so that 100 % means equal.
std::string percent(double share);

/// A table for each lab; pairs from the threshold on are marked.
std::string similarity_text(const std::vector<Comparison>& labs, const Terminal& terminal);

/// schema/similarity.schema.json. Ends with a line end.
std::string similarity_json(const std::vector<Comparison>& labs);

/// One page without scripts or anything from elsewhere: a table for each lab, and for each pair its common
/// fragments side by side.
std::string similarity_html(const std::vector<Comparison>& labs);

}  // namespace grader::similarity
