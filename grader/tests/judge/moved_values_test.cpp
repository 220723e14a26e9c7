// Tests of right values in wrong places.
#include "judge/moved_values.hpp"

#include <bit>
#include <cmath>

#include "catch.hpp"
#include "judge/values_fixture.hpp"

namespace moved_values_test {

namespace {

using grader::Array;
using grader::diagnose_values;
using grader::Expectation;
using grader::Shape;
using testing::contains;
using values_fixture::code;
using values_fixture::diagnosis;
using values_fixture::expectation;
using values_fixture::output;

}  // namespace

TEST_CASE("rows in each other's places are found, and named") {
  const auto permuted = [](bool is_whole) {
    return [=](std::size_t i, double v) {
      const std::size_t row = i / 20, source = row % 8 * 2 + row / 8;  // of 16 rows
      if (!is_whole && i == 45) return v + 1;
      return row >= 16 ? v : std::sin(static_cast<double>(source * 20 + i % 20) + 1) * 10;
    };
  };
  CHECK(diagnosis({20, 20}, permuted(true))->what ==
        "rows of `P` are in each other's places: row 1 has the values of row 2");
  CHECK_THAT(diagnosis({20, 20}, permuted(false))->what, !contains("places"));
}

TEST_CASE("a shift by rows or columns is found, and named") {
  const auto shifted_by = [](std::ptrdiff_t distance) {
    return [=](std::size_t i, double v) {
      const auto source = static_cast<std::ptrdiff_t>(i) + distance;
      return source < 0 || source >= 400 ? 0 * v : std::sin(static_cast<double>(source) + 1) * 10;
    };
  };
  const auto what = [&](const Shape& shape, std::ptrdiff_t distance) {
    const auto found = diagnosis(shape, shifted_by(distance));
    CHECK(found->code == "WG-V01");
    return found->what;
  };
  CHECK(what({400}, 3) == "`P` is shifted: each element has the value of the element 3 elements later");
  CHECK(what({400}, -1) == "`P` is shifted: each element has the value of the element 1 element earlier");
  CHECK(what({20, 20}, 40) == "`P` is shifted: each element has the value of the element 2 rows below");
  CHECK_THAT(what({400}, 9), contains("are wrong"));
  // A shift by columns wraps around here, which a missing offset does not: the first column is different.
  CHECK_THAT(what({20, 20}, 3), contains("3 columns to the right"));
  CHECK(code({20, 20}, [](auto i, double v) {
          return i % 20 == 7 ? std::sin(static_cast<double>(i) + 2) * 10 : v;
        }) == "WG-V01");
  CHECK(code({400}, [](auto, double v) { return v; }) == "none");
}

TEST_CASE("rows and columns that are exchanged within groups are found, and named") {
  const auto exchanged = [](std::size_t step, std::size_t width) {
    return [=](std::size_t i, double) {
      const std::size_t row = i / 64, column = i % 64, a = row / step % width, b = column / step % width;
      const std::size_t source = (row + (b - a) * step) * 64 + column + (a - b) * step;
      return std::sin(static_cast<double>(source) + 1) * 10;
    };
  };
  const auto of_thread = diagnosis({64, 64}, exchanged(8, 8));
  CHECK(of_thread->code == "WG-V04");
  CHECK(of_thread->what ==
        "tiles of 8 × 8 elements of `P` are right in themselves, but each is at the place that mirrors its "
        "own, "
        "in groups of 8 × 8 tiles: P[0][8] has the value of P[8][0]");
  CHECK_THAT(of_thread->likely_cause,
             contains("blockIdx.x and blockIdx.y") && contains("8 rows or columns apart"));
  CHECK_THAT(diagnosis({64, 64}, exchanged(1, 16))->what, contains("groups of 16 × 16"));
  CHECK_THAT(diagnosis({64, 64}, [](std::size_t i, double v) { return i % 3 == 0 ? v + 1 : v; })->what,
             !contains("groups"));
}

TEST_CASE("sums that contain an earlier sum are found, with the distance") {
  const auto at = [](std::size_t i) { return std::sin(static_cast<double>(i) + 1) * 10; };
  // A warp computes elements i, i + 128 and i + 256.
  const auto kept = [&](std::size_t i, double v) {
    for (std::size_t before = i; before >= 128;) v += at(before -= 128);
    return v;
  };
  const auto found = diagnosis({300}, kept);
  CHECK(found->what == "P[128] contains an earlier sum, too: that of P[0]");
  CHECK_THAT(found->next_step, contains("inside the loop over the elements"));
  const auto once =
      diagnosis({300}, [&](std::size_t i, double v) { return i >= 128 ? v + at(i - 128) + (i == 200) : v; });
  CHECK_THAT(once->what, !contains("earlier sum"));
}

TEST_CASE("pieces that were copied to one place are found, if nothing wrote the rest") {
  const float poison = std::bit_cast<float>(~std::uint32_t{0});
  const Expectation expected = expectation({40});
  const auto what = [&](std::size_t distance) {
    Array actual =
        output(expected, [&](std::size_t i, double v) { return i < 10 ? expected.values[i + distance] : v; });
    for (std::size_t i = 10; i < 40; ++i) actual.values[i] = poison;
    grader::OutputPair pair{actual, expected, std::nullopt};
    pair.place = grader::harness::Place::host;
    return diagnose_values(pair, {})->what;
  };
  CHECK(what(30) == "the pieces of P are one over the other: P[0] has the value of P[30]");
  CHECK_THAT(what(0), contains("never written"));
}

}  // namespace moved_values_test
