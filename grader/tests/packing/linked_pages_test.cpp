#include "packing/linked_pages.hpp"

#include "catch.hpp"

namespace linked_pages_test {

using namespace grader;

namespace {

/// Only this page and folder are packed.
std::string relinked(const std::string& text) {
  return without_dangling_links("handout/student/scoring.md", text, [](const std::string& path) {
    return path == "handout/student/scoring.md" || path == "handout/student/diagnostics";
  });
}

}  // namespace

TEST_CASE("links to pages that are not packed become text, all others stay") {
  CHECK(relinked("see [grading](../instructor/grading.md#limits).") == "see grading.");
  CHECK(relinked("[a\nb](../../grader/doc/x.md)") == "a\nb");
  for (const std::string kept :
       {"[above](#points)", "[this](scoring.md#points)", "[codes](diagnostics/)",
        "[web](https://example.org/a)", "![picture](scoring.md)", "[x] (y)", "a[0](b c)"})
    CHECK(relinked(kept) == kept);
}

TEST_CASE("code contains no links") {
  for (const std::string code :
       {"`[](float x){}`", "```\nauto f = [](int){};\n```", "``a ` [b](c.md)``", "`", "```\nnever [closed"})
    CHECK(relinked(code) == code);
  CHECK(relinked("`a` [b](gone.md) `c`") == "`a` b `c`");
}

}  // namespace linked_pages_test
