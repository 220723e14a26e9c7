#include "base/sealed_text.hpp"

#include "catch.hpp"

using namespace grader;

TEST_CASE("sealed text hides the text and is unsealed by sealing again") {
  const std::string text = "__global__ void kernel(float* x) { *x = 0; }\n";
  CHECK(sealed(sealed(text)) == text);
  CHECK(sealed(text).find("global") == std::string::npos);
  CHECK(sealed(std::string(64, '\0')).find(std::string(4, '\0')) == std::string::npos);
  CHECK(sealed("").empty());
}
