#include "judge/edge_region.hpp"

#include "catch.hpp"

namespace edge_region_test {

namespace {

using grader::Shape;

/// All elements of a rows × columns array for which `wrong(row, column)` holds.
template <class Predicate>
std::vector<std::size_t> where(std::size_t rows, std::size_t columns, Predicate wrong) {
  std::vector<std::size_t> elements;
  for (std::size_t i = 0; i < rows * columns; ++i)
    if (wrong(i / columns, i % columns)) elements.push_back(i);
  return elements;
}

std::optional<std::string> edge_region(const Shape& shape, const std::vector<std::size_t>& elements) {
  const auto region = grader::edge_region(shape, elements);
  return region ? std::optional(to_string(*region)) : std::nullopt;
}

TEST_CASE("the last columns, the last rows, or both, are named with their first index") {
  const Shape shape{100, 70};
  const auto columns = where(100, 70, [](auto, auto c) { return c >= 64; });
  CHECK(edge_region(shape, columns) == "the last 6 columns (from column 64 on)");
  const auto rows = where(100, 70, [](auto r, auto) { return r >= 96; });
  CHECK(edge_region(shape, rows) == "the last 4 rows (from row 96 on)");
  const auto both = where(100, 70, [](auto r, auto c) { return r >= 96 || c >= 64; });
  CHECK(edge_region(shape, both) ==
        "the last 4 rows (from row 96 on) and the last 6 columns (from column 64 on)");
}

TEST_CASE("a single last column or row is named in the singular") {
  CHECK(edge_region({17, 33}, where(17, 33, [](auto, auto c) { return c == 32; })) ==
        "the last column (column 32)");
  CHECK(edge_region({17, 33}, where(17, 33, [](auto r, auto) { return r == 16; })) ==
        "the last row (row 16)");
}

TEST_CASE("a few right elements in the region do not hide it") {
  const auto most = where(100, 100, [](auto r, auto c) { return c >= 96 && r % 5 != 0; });
  CHECK(edge_region({100, 100}, most) == "the last 4 columns (from column 96 on)");
}

TEST_CASE("the end of a vector is described in elements") {
  CHECK(edge_region({1000}, where(1, 1000, [](auto, auto c) { return c >= 768; })) ==
        "the last 232 elements (from element 768 on)");
}

TEST_CASE("the elements for which a launch has no threads are an edge of a vector") {
  const auto beyond = where(1, 5000, [](auto, auto c) { return c >= 2048 && c % 7 != 0; });
  CHECK_FALSE(grader::edge_region({5000}, beyond));
  const auto region = grader::edge_region({5000}, beyond, 2048);
  REQUIRE(region);
  CHECK(to_string(*region) == "the last 2952 elements (from element 2048 on)");
  CHECK_FALSE(grader::edge_region({5000}, beyond, 3000));
  CHECK_FALSE(grader::edge_region({5000}, where(1, 5000, [](auto, auto c) { return c > 4000; }), 2048));
}

TEST_CASE("no edge is reported if wrong elements are elsewhere, are few, or fill the whole output") {
  const auto everywhere = [](auto, auto) { return true; };
  CHECK_FALSE(edge_region({100, 100}, where(100, 100, everywhere)));
  CHECK_FALSE(
      edge_region({100, 100}, where(100, 100, [](auto r, auto c) { return c >= 96 || (r == 3 && c == 3); })));
  CHECK_FALSE(edge_region({100, 100}, {9999}));
  CHECK_FALSE(edge_region({100, 100}, {}));
  CHECK_FALSE(edge_region({64, 64}, where(64, 64, [](auto, auto c) { return c >= 60; })));
  CHECK_FALSE(edge_region({5, 5}, where(5, 5, everywhere)));
  CHECK_FALSE(edge_region({2, 2, 2}, {7}));
}

TEST_CASE("a region of a known size needs only a few of its elements") {
  const Shape shape{97, 97};
  const std::vector<std::size_t> few{65, 70, 64 * 97};
  CHECK_FALSE(grader::edge_region(shape, few));
  const auto region = grader::edge_region_of_size(shape, few, 97 * 97 - 64 * 64);
  REQUIRE(region);
  CHECK(region->first_row == 64);
  CHECK(region->first_column == 64);
  CHECK_FALSE(grader::edge_region_of_size(shape, few, 97 * 97 - 64 * 96));
  CHECK_FALSE(grader::edge_region_of_size(shape, {0, 65}, 97 * 97 - 64 * 64));
}

TEST_CASE("rows and elements that are missing at a fixed distance are named with it") {
  const auto gap = [](const Shape& shape, const std::vector<std::size_t>& elements) {
    const auto found = grader::repeated_gap(shape, elements);
    return found ? to_string(*found) : "";
  };
  const auto upper = [](auto r, auto) { return r % 16 >= 8; };
  CHECK(gap({64, 3}, where(64, 3, upper)) == "rows 8 to 15 of every 16");
  CHECK(gap({31, 33}, where(31, 33, upper)) == "rows 8 to 15 of every 16");  // the last gap is cut
  CHECK(gap({10}, {1, 3, 5, 7, 9}) == "number 1 of every 2 elements");
  CHECK(gap({64, 3}, where(64, 3, [](auto r, auto) { return r >= 48; })).empty());
  CHECK(gap({64, 3}, where(64, 3, [](auto r, auto c) { return r % 16 >= 8 && c > 0; })).empty());
  CHECK(gap({10}, {1, 3, 6, 7, 9}).empty());
  CHECK(gap({10}, {1, 3, 5, 7}).empty());
  CHECK(gap({10}, {}).empty());
}

TEST_CASE("the last rows and columns from any index on are a region if all of them are given") {
  const auto last = [](const Shape& shape, const std::vector<std::size_t>& elements) {
    const auto region = grader::last_rows_or_columns(shape, elements);
    return region ? to_string(*region) : "";
  };
  CHECK(last({32, 64}, where(32, 64, [](auto, auto c) { return c >= 31; })) ==
        "the last 33 columns (from column 31 on)");
  CHECK(last({32, 64}, where(32, 64, [](auto r, auto c) { return r >= 5 || c >= 31; })) ==
        "the last 27 rows (from row 5 on) and the last 33 columns (from column 31 on)");
  CHECK(last({10}, {7, 8, 9}) == "the last 3 elements (from element 7 on)");
  CHECK(last({32, 64}, where(32, 64, [](auto r, auto c) { return c >= 31 && r != 3; })).empty());
  CHECK(last({32, 64}, where(32, 64, [](auto, auto) { return true; })).empty());
  CHECK(last({10}, {}).empty());
  CHECK(last({2, 2, 2}, {7}).empty());
}

}  // namespace

}  // namespace edge_region_test
