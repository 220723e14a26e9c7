#include "base/expected.hpp"

#include <memory>
#include <string>

#include "catch.hpp"

namespace {

using grader::Expected;
using grader::Unexpected;

Expected<int, std::string> half(int number) {
  if (number % 2 != 0) return Unexpected{std::string("is odd")};
  return number / 2;
}

TEST_CASE("an Expected holds a value or the reason why there is none") {
  REQUIRE(half(8).has_value());
  CHECK(*half(8) == 4);
  REQUIRE_FALSE(half(7));
  CHECK(half(7).error() == "is odd");
}

TEST_CASE("an Expected whose value and error have one type keeps them apart") {
  const Expected<std::string, std::string> value = std::string("text");
  const Expected<std::string, std::string> error = Unexpected{std::string("text")};
  CHECK(value.has_value());
  CHECK_FALSE(error.has_value());
}

TEST_CASE("a value that can only be moved moves out of an Expected") {
  Expected<std::unique_ptr<int>, std::string> owner = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(owner);
  CHECK(*taken == 3);
}

}  // namespace
