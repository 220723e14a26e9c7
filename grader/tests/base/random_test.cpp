#include "base/random.hpp"

#include "catch.hpp"

namespace {

using grader::SplitMix64;

TEST_CASE("SplitMix64 gives the numbers of its reference implementation") {
  // Vigna's splitmix64.c with x = 1234567.
  SplitMix64 random(1234567);
  CHECK(random() == 6457827717110365317ULL);
  CHECK(random() == 3203168211198807973ULL);
  CHECK(random() == 9817491932198370423ULL);
}

TEST_CASE("unit and signed_unit stay in their half-open ranges") {
  SplitMix64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const float unit = random.unit();
    CHECK((unit >= 0.0F && unit < 1.0F));
    const float either = random.signed_unit();
    CHECK((either >= -1.0F && either < 1.0F));
  }
}

TEST_CASE("below reaches every value under its bound and no other") {
  SplitMix64 random(2);
  bool seen[7] = {};
  for (int i = 0; i < 1000; ++i) seen[random.below(7)] = true;
  for (const bool one : seen) CHECK(one);
  CHECK(random.below(1) == 0);
}

}  // namespace
