// A page of the handbook, which is Markdown, as a terminal shows it: paragraphs, list items and rows of
// tables in lines that fit, links as their text; code as it stands. Covered by report/page_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "report/terminal.hpp"

namespace grader {

std::string page_text(std::string_view markdown, const Terminal& terminal);

}  // namespace grader
