// Formats a page of the handbook (Markdown) for a terminal: wraps paragraphs, list items and table rows,
// replaces links by their text, and leaves code unchanged. Tested by report/page_text_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "report/terminal.hpp"

namespace grader {

std::string page_text(std::string_view markdown, const Terminal& terminal);

}  // namespace grader
