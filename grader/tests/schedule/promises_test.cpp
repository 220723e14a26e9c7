#include "schedule/promises.hpp"

#include "catch.hpp"

namespace promises_test {

using namespace grader;
using testing::contains;

namespace {

Result result_with(Verdict verdict, double points, const std::string& code) {
  Result result;
  result.score.verdict = verdict;
  result.score.score = points;
  if (code.empty()) return result;
  Check check;
  check.status = CheckStatus::fail;
  check.diagnostics.resize(1);
  check.diagnostics.front().code = code;
  result.score.checks = {check};
  return result;
}

Promise promise(const std::string& verdict, std::vector<std::string> codes) {
  Promise made;
  made.verdict = verdict;
  made.codes = std::move(codes);
  return made;
}

}  // namespace

TEST_CASE("promises are read from expected.json") {
  const auto promises = parse_promises(R"({"schema": "warpgrade.expected/1",
    "skeleton": {"verdict": "wrong_answer", "codes": ["WG-H12"], "score": 0},
    "skeleton_sha256": ["ab", "cd"], "files": {
    "wrong/a.cu": {"verdict": "runtime_error", "codes": ["WG-M01", "WG-M02"], "score_at_most": 60},
    "b.cu": {"verdict": "accepted", "score": 100}}})");
  REQUIRE(promises);
  CHECK(promises->skeleton.codes == std::vector<std::string>{"WG-H12"});
  CHECK(promises->skeleton_sha256 == std::vector<std::string>{"ab", "cd"});
  CHECK(promises->files.size() == 2);
  CHECK(promises->files.at("wrong/a.cu").codes.size() == 2);
  CHECK(promises->files.at("b.cu").score == 100);
}

TEST_CASE("a wrong solution needs a code, and a line or a message") {
  const auto promises = parse_promises(R"({"schema": "warpgrade.expected/1",
    "skeleton": {"verdict": "wrong_answer"}, "files": {
    "right.cu": {"verdict": "accepted"},
    "wrong/code_only.cu": {"verdict": "wrong_answer", "codes": ["WG-V01"]},
    "wrong/line.cu": {"verdict": "wrong_answer", "codes": ["WG-V01"], "line": "y[i] = x[i];"},
    "wrong/message.cu": {"verdict": "wrong_answer", "codes": ["WG-V01"], "says": "overflows an int"},
    "wrong/no_code.cu": {"verdict": "wrong_answer", "line": "y[i] = x[i];"}}})");
  REQUIRE(promises);
  const auto vague = grader::vague_promises(*promises);
  REQUIRE(vague.size() == 2);
  CHECK_THAT(vague[0], contains("wrong/code_only.cu") && contains("`line`") && contains("`says`"));
  CHECK_THAT(vague[1], contains("wrong/no_code.cu") && contains("`codes`"));
}

TEST_CASE("every wrong solution of the repository has a code, and a line or a message") {
  for (const auto& lab : std::filesystem::directory_iterator(WARPGRADE_SOURCE_DIR "/solutions")) {
    INFO(lab.path());
    const auto promises = grader::read_promises(lab.path());
    REQUIRE(promises);
    CHECK(grader::vague_promises(*promises) == std::vector<std::string>{});
  }
}

TEST_CASE("a broken expected.json is refused with the place") {
  CHECK_FALSE(parse_promises("{"));
  CHECK_FALSE(parse_promises(R"({"schema": "other/1", "files": {}})"));
  const auto unknown = parse_promises(R"({"schema": "warpgrade.expected/1",
    "skeleton": {"verdict": "x"}, "files": {"a.cu": {"verdict": "x", "scor": 1}}})");
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error(), contains("a.cu") && contains("scor"));
  const std::string skeleton =
      R"({"schema": "warpgrade.expected/1", "skeleton": {"verdict": "x"}, "files": )";
  CHECK(parse_promises(skeleton + R"({"a.cu": {"verdict": "x"}}})"));
  CHECK_FALSE(parse_promises(skeleton + R"({"a.cu": {}}})"));
  CHECK_FALSE(parse_promises(R"({"schema": "warpgrade.expected/1", "files": {}})"));
}

TEST_CASE("a kept promise gives no message") {
  CHECK(broken_promises(promise("accepted", {}), result_with(Verdict::accepted, 100, "")).empty());
  CHECK(broken_promises(promise("runtime_error", {"WG-M01", "WG-M02"}),
                        result_with(Verdict::runtime_error, 30, "WG-M02"))
            .empty());
}

TEST_CASE("each broken promise is reported") {
  Promise wanted = promise("wrong_answer", {"WG-V01"});
  wanted.score_at_most = 10;
  const auto broken = broken_promises(wanted, result_with(Verdict::runtime_error, 30, "WG-M02"));
  REQUIRE(broken.size() == 3);
  CHECK_THAT(broken[0], contains("runtime_error") && contains("wrong_answer"));
  CHECK_THAT(broken[1], contains("WG-M02") && contains("WG-V01"));
  CHECK_THAT(broken[2], contains("30") && contains("10"));
}

TEST_CASE("a promised line is a part of the line that the first diagnostic shows") {
  Promise wanted = promise("runtime_error", {"WG-M02"});
  auto result = result_with(Verdict::runtime_error, 30, "WG-M02");
  result.score.checks.front().diagnostics.front().source_line = "  P[row * n + col] = sum;";
  wanted.line = "P[row * n + col]";
  CHECK(broken_promises(wanted, result).empty());
  wanted.line = "tile[ty][tx] = ";
  CHECK_THAT(broken_promises(wanted, result).at(0),
             contains("P[row * n + col] = sum;") && contains("tile[ty][tx] = "));
}

TEST_CASE("promised words are a part of the first diagnostic's message or of its likely cause") {
  Promise wanted = promise("wrong_answer", {"WG-V02"});
  auto result = result_with(Verdict::wrong_answer, 30, "WG-V02");
  result.score.checks.front().diagnostics.front().what = "the last row was never written";
  result.score.checks.front().diagnostics.front().likely_cause = "the grid is too small";
  for (const char* says : {"", "the last row", "the grid"}) {
    wanted.says = says;
    CHECK(broken_promises(wanted, result).empty());
  }
  wanted.says = "a guard";
  CHECK_THAT(broken_promises(wanted, result).at(0),
             contains("the grid is too small") && contains("should contain `a guard`"));
}

TEST_CASE("promised words can name a counter as lab.json does") {
  Promise wanted = promise("too_slow", {"WG-P01"});
  auto result = result_with(Verdict::too_slow, 30, "WG-P01");
  result.score.checks.front().diagnostics.front().what = "overlap fraction is 0 when it should be 1";
  for (const char* says : {"overlap fraction is 0", "overlap_fraction is 0"}) {
    wanted.says = says;
    CHECK(broken_promises(wanted, result).empty());
  }
}

TEST_CASE("an accepted solution with a diagnostic breaks its promise, and so does a wrong one without") {
  CHECK(broken_promises(promise("accepted", {}), result_with(Verdict::accepted, 100, "WG-P01")).size() == 1);
  CHECK(broken_promises(promise("wrong_answer", {"WG-V01"}), result_with(Verdict::wrong_answer, 0, ""))
            .size() == 1);
}

}  // namespace promises_test
