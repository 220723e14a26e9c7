#include "pages/html.hpp"

#include <regex>

#include "base/sha256.hpp"
#include "catch.hpp"

namespace html_test {

using namespace grader::pages;
using testing::contains;

/// The text between the first `start` and the next `end`.
std::string between(const std::string& html, const std::string& start, const std::string& end) {
  const std::size_t from = html.find(start) + start.size();
  return html.substr(from, html.find(end, from) - from);
}

TEST_CASE("text is escaped and cut between characters") {
  CHECK(text("<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  CHECK(text("a\xff\x1b[31m") == "a??[31m");
  CHECK(text("äöü", 3) == "ä…");
  CHECK(text("<<<", 2) == "&lt;&lt;…");
}

TEST_CASE("anchors and addresses contain nothing that has a meaning in HTML or in an address") {
  CHECK(anchor("a b\"<ü>") == "a_b_____");  // ü has two bytes
  CHECK(file_address("a b#?\"%.c") == "a%20b%23%3F%22%25.c");
  CHECK(link_html("#x", "<b>") == "<a href=\"#x\">&lt;b&gt;</a>");
}

TEST_CASE("the policy of a page names the digests of its own style and scripts, and permits nothing else") {
  for (const Scripts scripts : {Scripts::none, Scripts::tables_and_charts}) {
    const std::string page = document("A <title>", "<p>text</p>\n", scripts);
    const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\">");
    CHECK_THAT(policy, contains("default-src 'none'") && contains("base-uri 'none'") && !contains("unsafe"));
    CHECK_THAT(policy, contains("'sha256-" +
                                grader::base64(grader::sha256(between(page, "<style>", "</style>"))) + "'"));
    std::string rest = page;
    int count = 0;
    for (; rest.find("<script>") != std::string::npos; ++count) {
      const std::string script = between(rest, "<script>", "</script>");
      CHECK_THAT(policy, contains("'sha256-" + grader::base64(grader::sha256(script)) + "'"));
      rest = rest.substr(rest.find("</script>") + 1);
    }
    CHECK(count == (scripts == Scripts::none ? 0 : 3));
    CHECK_THAT(page, contains("<title>A &lt;title&gt;</title>"));
    CHECK((page.find("Permission is hereby granted") != std::string::npos) == (scripts != Scripts::none));
  }
}

}  // namespace html_test
