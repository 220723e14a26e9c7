#include "base/spelling.hpp"

#include "catch.hpp"

namespace spelling_test {

namespace {

using grader::closest;
using grader::edit_distance;

TEST_CASE("the distance counts insertions, deletions, substitutions and swaps of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("case", "case") == 0);
  CHECK(edit_distance("case", "cases") == 1);
  CHECK(edit_distance("case", "ase") == 1);
  CHECK(edit_distance("case", "cake") == 1);
  CHECK(edit_distance("case", "csae") == 1);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("only a similar word is suggested, and the closest one is preferred") {
  CHECK(closest("boundry", {"tiling", "boundary", "bound"}) == "boundary");
  CHECK(closest("tilin", {"tiling"}) == "tiling");
  CHECK_FALSE(closest("speed", {"tiling", "boundary"}));
  CHECK_FALSE(closest("x", {}));
  CHECK(grader::did_you_mean("spede", {"speed"}) == "; did you mean `speed`?");
  CHECK(grader::did_you_mean("else", {"speed"}).empty());
}

TEST_CASE("the beginning of exactly one candidate stands for it, and a whole name for itself") {
  using grader::completed;
  const std::vector<std::string> labs = {"01-memory", "02-tiled", "02-tiled-again"};
  CHECK(completed("01", labs) == "01-memory");
  CHECK(completed("02-tiled", labs) == "02-tiled");
  CHECK(completed("02-tiled-", labs) == "02-tiled-again");
  CHECK_FALSE(completed("02", labs));
  CHECK_FALSE(completed("", {"01-memory"}));
  CHECK_FALSE(completed("1", labs));
}

}  // namespace

}  // namespace spelling_test
