#include "report/hints.hpp"

#include "base/files.hpp"
#include "catch.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;

TEST_CASE("hints are taken one by one, with their section") {
  const auto hints = hints_of(
      "# Hints\n\nOpen one.\n\n## The launch\n\n<details><summary>How many?</summary>\n\nEnough: `n`.\n"
      "</details>\n\n<details><summary>Code</summary>\n\nf<<<1, n>>>();\n</details>\n\n## Speed\n\n"
      "<details><summary>Where?</summary>\n\nThere.\n</details>\n<details><summary>cut");
  REQUIRE(hints.size() == 3);
  CHECK(
      (hints[0].section == "The launch" && hints[0].title == "How many?" && hints[0].body == "Enough: `n`."));
  CHECK(hints[1].section == "The launch");
  CHECK(hints[2].section == "Speed");
  CHECK(hint_text(hints, 0, plain()) == "Hint 1 of 3, The launch: How many?\nEnough: `n`.\n");
  CHECK(hint_text(hints, 3, plain()) == "there are no more hints\n");
  CHECK(first_hint_of(hints, "The launch") == 0U);
  CHECK(first_hint_of(hints, "Speed") == 2U);
  CHECK(!first_hint_of(hints, "The end"));
  CHECK(hints_of("").empty());
}

TEST_CASE("every lab's hints can be read") {
  for (const char* lab : {"00-warm-up", "01-memory-types", "02-tiled-matmul", "03-reduction-divergence",
                          "04-coalescing", "05-pinned-streams", "06-min-plus"}) {
    INFO(lab);
    const auto text = read_file(std::string(WARPGRADE_SOURCE_DIR "/labs/") + lab + "/hints.md", 1U << 20U);
    REQUIRE(text);
    const auto hints = hints_of(*text);
    CHECK(hints.size() >= 3);
    for (const Hint& hint : hints)
      CHECK((!hint.section.empty() && !hint.title.empty() && !hint.body.empty()));
  }
}
