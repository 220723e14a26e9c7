#include "schedule/compare_runs.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "schedule/class_made_up.hpp"

namespace compare_runs_test {

using namespace grader;
using namespace testing;
namespace fs = std::filesystem;

namespace {

/// A graded class, and the same class with one changed and one additional file, graded in another folder.
struct Regrade {
  MadeUpClass before{4}, now{4};
  Regrade() {
    before.grade();
    now.hand_in("s101", "a longer file");
    now.hand_in("s900", "late");
    now.grade();
  }
};

}  // namespace

TEST_CASE("two runs are compared result by result") {
  const Regrade regrade;
  const auto comparison = compare_runs(regrade.before.dir(), regrade.now.dir());
  REQUIRE(comparison);
  CHECK(comparison->same == 3);
  REQUIRE(comparison->changes.size() == 2);
  CHECK(comparison->changes.front().submission == "s101");
  CHECK(comparison->changes.front().reasons == std::vector<std::string>{"source"});
  CHECK(comparison->changes.back().reasons == std::vector<std::string>{"not in both"});
}

TEST_CASE("a folder without results cannot be compared") {
  const MadeUpClass made(1);
  const auto comparison = compare_runs(made.dir(), made.dir());
  REQUIRE_FALSE(comparison);
  CHECK(comparison.error().code == "WG-G35");
}

TEST_CASE("an applied run replaces the other run, which is kept") {
  const Regrade regrade;
  const auto old = contents(regrade.before.dir());
  CHECK_FALSE(apply_run(regrade.before.dir(), regrade.now.dir()));
  CHECK(contents(regrade.before.dir()) == contents(regrade.now.dir()));
  CHECK(contents(regrade.before.dir() / "history" / "001") == old);
  CHECK_THAT(text_of(regrade.before.dir() / "journal.jsonl"), contains("\"event\":\"applied\""));
  CHECK(compare_runs(regrade.before.dir(), regrade.now.dir())->changes.empty());
}

TEST_CASE("a run that is not finished or lacks results is not applied") {
  const Regrade regrade;
  const auto old = contents(regrade.before.dir());
  auto refused = apply_run(regrade.now.dir(), regrade.before.dir());
  REQUIRE(refused);
  CHECK(refused->code == "WG-G38");
  CHECK_THAT(refused->what, contains("s900"));
  refused = apply_run(regrade.before.dir(), regrade.before.dir());
  REQUIRE(refused);
  CHECK_THAT(refused->what, contains("the same folder"));
  fs::remove(regrade.now.dir() / "results/s101/02-tiled-matmul.json");
  refused = apply_run(regrade.before.dir(), regrade.now.dir());
  REQUIRE(refused);
  CHECK_THAT(refused->what, contains("1 of its results are missing"));
  CHECK(contents(regrade.before.dir()) == old);
}

TEST_CASE(
    "a kill at any instant of applying leaves the old run or, after the next start, the whole new run") {
  int old_ones = 0, new_ones = 0;
  for (int instant = 0; instant < 12; ++instant) {
    const Regrade regrade;
    const auto old = contents(regrade.before.dir()), now = contents(regrade.now.dir());
    const pid_t child = ::fork();
    if (child == 0) {
      apply_run(regrade.before.dir(), regrade.now.dir());
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(instant * 800));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(finish_apply(regrade.before.dir()));
    fs::remove_all(regrade.before.dir() / "staged");
    const auto found = contents(regrade.before.dir());
    CHECK((found == old || found == now));
    (found == old ? old_ones : new_ones) += 1;
  }
  INFO(old_ones << " times the old, " << new_ones << " times the new");
  CHECK(old_ones + new_ones == 12);
}

}  // namespace compare_runs_test
