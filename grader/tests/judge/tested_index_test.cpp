// Tests whether a condition tests the row and the column that an index uses.
#include "judge/tested_index.hpp"

#include "catch.hpp"

namespace tested_index_test {

using grader::untested_index;

TEST_CASE("a row that the condition does not test is named, with what it tests") {
  const auto load = untested_index("if (in_row < height && in_col < width)",
                                   "tile[threadIdx.y + r][threadIdx.x] = in[(in_row + r) * width + in_col];");
  REQUIRE(load);
  CHECK(load->tested == "in_row");
  CHECK(load->used == "in_row + r");
  CHECK(load->is_row);
  const auto store =
      untested_index("if (row - r * kRows < height && col < width) out[row * width + col] = s;",
                     "if (row - r * kRows < height && col < width) out[row * width + col] = s;");
  REQUIRE(store);
  CHECK(store->tested == "row - r * kRows");
  CHECK(store->used == "row");
  CHECK(untested_index("if (f + bk < k && r0 + bc < n)", "N[size_t(f + bk) * n + c0 + bc];")->used ==
        "c0 + bc");
  const auto other = untested_index("if (first_i < n && first_j < n)", "r[i * n + j] = least[a][b];");
  REQUIRE(other);
  CHECK(other->tested == "first_i");
  CHECK(other->used == "i");
}

TEST_CASE("so is a column") {
  const auto column = untested_index("if (row < m && col < n)", "P[row * n + col + 16] = sum;");
  REQUIRE(column);
  CHECK(column->tested == "col");
  CHECK(column->used == "col + 16");
  CHECK_FALSE(column->is_row);
}

TEST_CASE("a condition that tests both, in any order and spelling, is none") {
  CHECK_FALSE(untested_index("if (row < m && col < n)", "P[row * n + col] = sum;"));
  CHECK_FALSE(untested_index("if (row < m and col < n)", "P[row * n + col] = sum;"));
  CHECK_FALSE(untested_index("if (f + bk < k && r0 + bc < n)", "N[size_t(f + bk) * n + r0 + bc];"));
  CHECK_FALSE(untested_index("if (row < m && col < n)", "P[(size_t)row * n + static_cast<size_t>(col)];"));
  CHECK_FALSE(untested_index("if (col<n && (row)<m)", "P[row*n+col] = sum;"));
  CHECK_FALSE(untested_index("if (y + r < h && x < w)", "out[(y + r) * w + x] = tile[x];"));
}

TEST_CASE("an index that multiplies an extent is not one that the condition lacks") {
  CHECK_FALSE(untested_index("if (row < height && col < width)", "out[height * col + row] = s;"));
  CHECK_FALSE(untested_index("if (row < height && col < width)", "out[col * height + row] = s;"));
}

TEST_CASE("lines of another form are not compared") {
  CHECK_FALSE(untested_index("if (i < n)", "y[i] = x[i];"));
  CHECK_FALSE(untested_index("if (i < m * n)", "P[row * n + col] = sum;"));
  CHECK_FALSE(untested_index("if (row < m && col < n)", "P[i] = tile[0];"));
  CHECK_FALSE(untested_index("if (row < m && col < n)", "P[row * n + col"));
  CHECK_FALSE(untested_index("", ""));
}

TEST_CASE("what a row's length multiplies is no column") {
  using grader::exchanged_index;
  const char* const inside = "if (y >= 0 && y < height && x >= 0 && x < width) {";
  CHECK(exchanged_index(inside, "sum += in[x * width + y];") == "x");
  CHECK_FALSE(exchanged_index(inside, "sum += in[y * width + x];"));
  CHECK_FALSE(exchanged_index(inside, "out[x * height + y] = sum;") == "y");
  CHECK_FALSE(exchanged_index("if (i < n)", "y[i] = x[i];"));
}

}  // namespace tested_index_test
