// Text in XML and HTML, which SVG, JUnit and pages share. Covered by report/markup_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// Text as the content of an element or of an attribute in quotes: & < > " and ' become references. What
/// XML 1.0 cannot hold at all (control characters, U+FFFE, broken UTF-8) becomes '?', as in printable(); tabs
/// and line ends stay.
std::string markup_text(std::string_view untrusted);

}  // namespace grader
