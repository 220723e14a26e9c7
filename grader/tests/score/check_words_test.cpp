#include "score/check_words.hpp"

#include "catch.hpp"

using namespace grader;

namespace {

Check check(std::string id, std::string task, std::string title) {
  Check made;
  made.id = std::move(id);
  made.task = std::move(task);
  made.task_title = std::move(title);
  return made;
}

}  // namespace

TEST_CASE("A check's words are its task's title and its case", "[score]") {
  const Check one = check("boundary/17x33x65", "boundary", "Any shape");
  CHECK(words_in_task(one) == "17x33x65");
  CHECK(check_words(one) == "Any shape / 17x33x65");
}

TEST_CASE("The words of a bonus task say that it is one", "[score]") {
  Check one = check("count/count-1", "count", "Count 6");
  one.is_bonus = true;
  CHECK(task_words(one) == "Count 6 (bonus)");
  CHECK(check_words(one) == "Count 6 (bonus) / count-1");
}

TEST_CASE("An objective's words contain no raw name of a counter", "[score]") {
  const Check one = check("traffic/global_load_requested_bytes_per_flop@square-256", "traffic", "Traffic");
  CHECK(words_in_task(one) == "global load requested B/flop (square-256)");
  CHECK(check_words(one) == "Traffic / global load requested B/flop (square-256)");
}

TEST_CASE("A check of no task, or of an earlier version, has the words of its id", "[score]") {
  CHECK(check_words(check("build", "", "")) == "build");
  CHECK(check_words(check("hidden checks (3)", "", "")) == "hidden checks (3)");
  CHECK(check_words(check("boundary/one", "boundary", "")) == "boundary / one");
}

TEST_CASE("a check that passed, but has less than its points, earned a part of them", "[score]") {
  const auto words = [](CheckStatus status, double points, double max_points) {
    return words_of(outcome_of(status, points, max_points));
  };
  CHECK(words(CheckStatus::pass, 20, 20) == "pass");
  CHECK(words(CheckStatus::pass, 1.23, 16) == "part");
  CHECK(words(CheckStatus::fail, 5, 20) == "FAIL");
  CHECK(words(CheckStatus::skip, 0, 20) == "skip");
  CHECK(words(CheckStatus::pass, -10, 0) == "pass");  // points that the rules of a course take
}

TEST_CASE("verdicts are words, and a missed objective is not called slow", "[score]") {
  CHECK(verdict_words(Verdict::accepted) == "accepted");
  CHECK(verdict_words(Verdict::wrong_answer) == "wrong answer");
  CHECK(verdict_words(Verdict::too_slow) == "objective missed");
}
