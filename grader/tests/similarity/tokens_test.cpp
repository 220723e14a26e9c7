#include "similarity/tokens.hpp"

#include "catch.hpp"

using namespace grader::similarity;

namespace {

std::vector<std::uint32_t> kinds(std::string_view source) {
  std::vector<std::uint32_t> all;
  for (const Token& token : tokens_of(source)) all.push_back(token.kind);
  return all;
}

}  // namespace

TEST_CASE("names, literals, comments and layout do not matter") {
  CHECK(kinds("float sum = 0.5f; // total") == kinds("float  t\n=\n1e-3 /* x */;"));
  CHECK(kinds("f(\"a\", 'b')") == kinds("g( \"other \\\" text\" ,'\\'')"));
  CHECK(kinds("f(R\"x(a \" )\" b)x\", 1)") == kinds("f(\"\", 0)"));
  CHECK(kinds("const float* __restrict__ a") == kinds("float* b"));
  CHECK(kinds("#include <cstdio>\nint x;") == kinds("int y;"));
}

TEST_CASE("names that cannot be changed stay distinct tokens") {
  CHECK(kinds("cudaMalloc") != kinds("cudaFree"));
  CHECK(kinds("__shared__") != kinds("__device__"));
  CHECK(kinds("threadIdx.x") != kinds("blockIdx.x"));
  CHECK(kinds("a < b") != kinds("a <= b"));
  CHECK(kinds("k<<<1, 2>>>()").size() == 8);
}

TEST_CASE("tokens know their line, also after comments and continued lines") {
  const auto tokens = tokens_of("a\n/* 2\n3 */ b // \\\nno token\nc");
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[1].line == 3);
  CHECK(tokens[2].line == 5);
}

TEST_CASE("any bytes give tokens") {
  for (const std::string text : {"", "\"", "'", "/*", "//", "R\"(", "R\"0123456789012345678(", "\\", "#",
                                 "#include", "\"\\", ".", "1'", "\xff\xfe\x80"})
    CHECK(tokens_of(text).size() <= text.size());
  CHECK(tokens_of(std::string(1 << 20, '\0')).size() == 1 << 20);
}
