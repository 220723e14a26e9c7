// Text for XML and HTML, shared by SVG, JUnit and pages. Tested by report/markup_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// Text as the content of an element or of an attribute in quotes: & < > " and ' become references.
/// Characters that XML 1.0 forbids (control characters, U+FFFE, invalid UTF-8) become '?', as in printable();
/// tabs and line ends are kept.
std::string markup_text(std::string_view untrusted);

}  // namespace grader
