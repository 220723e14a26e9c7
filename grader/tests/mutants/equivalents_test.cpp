#include "mutants/equivalents.hpp"

#include "catch.hpp"

namespace equivalents_test {

using namespace grader::mutants;
using testing::contains;

namespace {

std::string table(const std::string& entry) {
  return R"({"schema": "warpgrade.equivalent/1", "mutants": [)" + entry + "]}";
}

}  // namespace

TEST_CASE("an entry lists a mutant by its file and the changed line") {
  const auto entries = parse_equivalents(
      table(R"({"file": "a.cu", "line": "if (i < n) f();", "becomes": ["g();", "h();"], "why": "because"})"));
  REQUIRE(entries);
  const Equivalent* found = find_equivalent(*entries, "a.cu", {"if (i < n) f();", "h();"});
  REQUIRE(found != nullptr);
  CHECK(found->why == "because");
  CHECK(find_equivalent(*entries, "b.cu", {"if (i < n) f();", "h();"}) == nullptr);
  CHECK(find_equivalent(*entries, "a.cu", {"if (i < n) f();", "f();"}) == nullptr);
  CHECK(find_equivalent(*entries, "a.cu", {"if (j < n) f();", "h();"}) == nullptr);
}

TEST_CASE("a table without proofs, with other keys or of another version is refused with the place") {
  const std::string good = R"({"file": "a.cu", "line": "x", "becomes": ["y"], "why": "z"}, )";
  const auto no_proof =
      parse_equivalents(table(good + R"({"file": "a.cu", "line": "x", "becomes": ["y"], "why": ""})"));
  REQUIRE_FALSE(no_proof);
  CHECK_THAT(no_proof.error(), contains("entry 2") && contains("proof"));
  CHECK_FALSE(parse_equivalents(table(R"({"file": "a.cu", "line": "x", "becomes": [], "why": "z"})")));
  CHECK_FALSE(parse_equivalents(table(R"({"file": "a.cu", "line": "x", "why": "z"})")));
  CHECK_FALSE(parse_equivalents(table(R"({"file": "a.cu", "lines": "x", "becomes": ["y"], "why": "z"})")));
  CHECK_FALSE(parse_equivalents(R"({"schema": "warpgrade.equivalent/2", "mutants": []})"));
  CHECK_FALSE(parse_equivalents("{"));
}

}  // namespace equivalents_test
