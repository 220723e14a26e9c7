#include "report/page_text.hpp"

#include "catch.hpp"

using namespace grader;

TEST_CASE("paragraphs, items and tables of a page fit the terminal, and code is unchanged") {
  const Terminal narrow{.width = 24};
  CHECK(page_text("# WG-X01: a title\n"
                  "\n"
                  "One paragraph, which was\n"
                  "broken elsewhere.\n"
                  "\n"
                  "```cuda\n"
                  "float sum = 0.0f;  // stays in one line\n"
                  "```\n"
                  "\n"
                  "- An item that is longer than\n"
                  "  one line.\n"
                  "- See [WG-X02](WG-X02.md) and a[0].\n"
                  "\n"
                  "| a | b |\n"
                  "|---|---|\n"
                  "| one row of a | long table |\n",
                  narrow) ==
        "# WG-X01: a title\n"
        "\n"
        "One paragraph, which was\n"
        "broken elsewhere.\n"
        "\n"
        "    float sum = 0.0f;  // stays in one line\n"
        "\n"
        "- An item that is\n"
        "  longer than one line.\n"
        "- See WG-X02 and a[0].\n"
        "\n"
        "| a | b |\n"
        "| one row of a | long\n"
        "  table |\n");
}
