#include "report/markup.hpp"

#include "catch.hpp"

using namespace grader;

TEST_CASE("text in XML and HTML cannot become markup") {
  CHECK(markup_text("<a href=\"x\">'&'</a>") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST_CASE("characters that XML forbids are replaced, line ends and tabs are kept") {
  CHECK(markup_text(std::string("a\0b\x1b\n\tc\x7f", 8)) == "a?b?\n\tc?");
  CHECK(markup_text("\xEF\xBF\xBE\xEF\xBF\xBF\xff") == "???");
  CHECK(markup_text("陳 é") == "陳 é");
}
