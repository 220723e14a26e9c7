// Tests the typical mistakes with extents of a product, in which every element has terms of value 1: an
// element is its number of terms.
#include "lab/product_extents.hpp"

#include <algorithm>

#include "catch.hpp"
#include "lab/partial_products.hpp"

namespace product_extents_test {

namespace {

using grader::Hypothesis;
using grader::Product;
using testing::contains;

Product product(std::size_t m, std::size_t k, std::size_t n) {
  return {"P",      m,
          k,        n,
          {16, 32}, [](std::size_t, std::size_t, std::size_t from, std::size_t to) { return to - from; }};
}

const Hypothesis& with_pattern(const std::vector<Hypothesis>& all, const std::string& pattern) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Hypothesis& one) { return one.pattern == pattern; });
  INFO(pattern);
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("an extent of another dimension in a guard omits terms, rows or columns") {
  const auto all = wrong_extents(product(70, 96, 50));
  const Hypothesis& terms = with_pattern(all, "each element is the sum of its first 70 of 96 terms");
  CHECK(terms.code == "WG-V08");
  CHECK(terms.values(0) == 70);
  CHECK_THAT(terms.likely_cause, contains("uses m where it needs k"));
  const Hypothesis& rows = with_pattern(all, "rows from 50 on are 0");
  CHECK(rows.code == "WG-V05");
  CHECK(rows.values(49 * 50) == 96);
  CHECK(rows.values(50 * 50) == 0);
  CHECK_THAT(rows.likely_cause, contains("compares the row with n instead of m"));
  const Hypothesis& two =
      with_pattern(all, "each element is the sum of its first 50 of 96 terms, and rows from 50 on are 0");
  CHECK(two.values(0) == 50);
  CHECK(two.values(50 * 50) == 0);
  CHECK(&rows < &two);  // one mistake is likelier than two
}

TEST_CASE("extents that are not smaller than the right one change nothing and are no mistake") {
  CHECK(wrong_extents(product(64, 64, 64)).empty());
  CHECK(wrong_loop_extents(product(64, 64, 64)).empty());
  for (const Hypothesis& one : wrong_extents(product(32, 32, 64)))
    CHECK_THAT(one.pattern, contains("columns from 32"));
}

TEST_CASE("other mistakes that omit the same terms are named, too") {
  const auto all = wrong_extents(product(32, 96, 33));
  CHECK_THAT(with_pattern(all, "each element is the sum of its first 32 of 96 terms").likely_cause,
             contains("or only the first tile of 32 is added"));
  CHECK_THAT(with_pattern(all, "each element is the sum of its first 33 of 96 terms").likely_cause,
             !contains("tile of"));
  CHECK_THAT(wrong_extents(product(64, 71, 71))[0].likely_cause, contains("the last, partial tile"));
}

TEST_CASE("loops over tiles, and within them, leave out terms or add them twice") {
  const auto all = partial_products(product(8, 40, 8));
  const auto value = [&](const char* pattern) { return with_pattern(all, pattern).values(0); };
  CHECK(value("each element is the sum of its first 32 of 40 terms") == 32);
  CHECK(value("terms 24 to 31 of each sum are added a second time") == 40 + 8);
  CHECK(value("the last term of each sum is added 8 times more") == 40 + 8);
  CHECK(value("each element is the sum of its first 16 of 40 terms") == 16);
  CHECK(value("each element is the sum of its last 8 of 40 terms") == 8);
  CHECK(value("each element is the sum of its last 24 of 40 terms") == 24);
  CHECK(value("each sum lacks the first term of every tile of 16") == 37);
  CHECK(value("each sum lacks the last term of every tile of 16") == 38);  // the last tile has 8 terms
  for (const Hypothesis& one : partial_products(product(8, 32, 8)))
    CHECK(one.pattern.find("second time") == std::string::npos);
}

TEST_CASE("a loop over tiles rounds a wrong extent up") {
  const auto all = wrong_loop_extents(product(40, 96, 200));
  REQUIRE(all.size() == 2);
  CHECK(all[0].values(7) == 48);
  CHECK(all[1].values(7) == 64);
  CHECK_THAT(all[0].likely_cause, contains("covers m terms (tiles of 16) instead of k"));
}

}  // namespace product_extents_test
