#include "report/progress_since.hpp"

#include "catch.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;

TEST_CASE("tasks with more points and mistakes that are gone are better, the reverse is worse") {
  CHECK(changes_since(sample_lab(), failing_result(), accepted_result()) ==
        std::vector<std::string>{"better: boundary 7.5 → 30 of 30 points",
                                 "better: traffic 0 → 20 of 20 points", "better: speed 0 → 20 of 20 points",
                                 "better: WG-M02 is gone", "better: WG-P01 is gone",
                                 "better: WG-V05 is gone"});
  const auto back = changes_since(sample_lab(), accepted_result(), failing_result());
  REQUIRE(back.size() == 6);
  CHECK(back[0] == "worse: boundary 30 → 7.5 of 30 points");
  CHECK(back[3] == "worse: WG-M02 is new");
}

TEST_CASE("a speed-up that moves by more than one percent is reported") {
  Result faster = accepted_result(), same = accepted_result();
  faster.score.performance[0].speedup = 12.5;
  same.score.performance[0].speedup = 10.05;
  CHECK(changes_since(sample_lab(), accepted_result(), faster) ==
        std::vector<std::string>{"better: speed-up of square-256 10× → 12.5×"});
  CHECK(changes_since(sample_lab(), accepted_result(), same).empty());
}

TEST_CASE("changes are shown in words, in ASCII and in colour") {
  CHECK(progress_since_text(sample_lab(), accepted_result(), accepted_result(), plain()) ==
        "no change since the last check\n");
  Result faster = accepted_result();
  faster.score.performance[0].speedup = 12.5;
  CHECK(progress_since_text(sample_lab(), accepted_result(), faster, ascii()) ==
        "better: speed-up of square-256 10x -> 12.5x\n");
  CHECK_THAT(progress_since_text(sample_lab(), accepted_result(), faster, colored()), contains("\x1b["));
}
