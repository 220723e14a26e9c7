// Which loop is blamed when a kernel does not end.
#include "judge/endless_loop.hpp"

#include "catch.hpp"

namespace endless_loop_test {

using grader::SourceText;
using testing::contains;
using Lines = std::vector<std::string>;

namespace {

std::string cause(const Lines& body, std::uint32_t line) {
  Lines lines{"__global__ void kernel(float* out, int n) {"};
  lines.insert(lines.end(), body.begin(), body.end());
  lines.emplace_back("}");
  return grader::endless_loop(SourceText{"k.cu", lines}, "k.cu", line).value_or("");
}

}  // namespace

TEST_CASE("of several loops, the one with a visible reason is named, else all of them") {
  const std::string inner = "    for (int i = 0; i < 16; ++i) sum += a[i];";
  CHECK_THAT(cause({"  for (unsigned char p = 0; p < n; ++p) {", inner, "  }"}, 3),
             contains("the loop in line 2, `for (unsigned char p = 0; p < n; ++p) {`, never ends") &&
                 contains("8 bits"));
  CHECK_THAT(cause({"  for (short p = 0; p < n; ++p) {", inner, "  }"}, 3), contains("16 bits"));
  CHECK_THAT(cause({"  for (int y = 0; y < n;) {", "    for (int x = 0; x < n; ++x) {", "      f(x, y);",
                    "    }", "  }"},
                   4),
             contains("line 2, `for (int y = 0; y < n;) {`") && contains("does not change the variable"));
  CHECK_THAT(cause({"  while (left > 0) {", inner, "  }"}, 3),
             contains("one of the loops around this line") && contains("line 3, `for") &&
                 contains("line 2, `while (left > 0) {`"));
}

TEST_CASE("a single loop is named, and other loops before the line are not") {
  CHECK_THAT(cause({"  while (*flag == 0) {", "    f();", "  }"}, 3),
             contains("the loop in line 2, `while (*flag == 0) {`, never ends, or waits"));
  CHECK_THAT(cause({"  while (left > 0) {", "    for (int i = 0; i < 9; ++i) f(i);", "    g();", "  }"}, 4),
             contains("the loop in line 2") && !contains("line 3"));
  CHECK(cause({"  f();"}, 2).empty());
}

}  // namespace endless_loop_test
