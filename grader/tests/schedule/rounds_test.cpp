#include "schedule/rounds.hpp"

#include "catch.hpp"

// In a namespace of its own, because all test files of a folder are compiled together.
namespace rounds_test {

using namespace grader;
using Names = std::vector<std::string>;

namespace {

/// first (a) → second (b).
Lab lab() {
  Lab made;
  for (const char* name : {"a", "b"}) made.cases.emplace_back().name = name;
  for (const char* id : {"first", "second"}) {
    Task& task = made.tasks.emplace_back();
    task.id = id;
    task.points = 50;
  }
  made.tasks[0].cases = {"a"};
  made.tasks[1].cases = {"b"};
  made.tasks[1].needs = {"first"};
  return made;
}

/// A device that gives every case this verdict.
class MadeUpDevice {
 public:
  explicit MadeUpDevice(Verdict verdict) : verdict_(verdict) {}

  Round round() {
    return [this](const Names& names) -> std::optional<std::vector<CaseOutcome>> {
      if (is_stopped) return std::nullopt;
      rounds.push_back(names);
      std::vector<CaseOutcome> outcomes(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        outcomes[i].verdict = {names[i], verdict_, {}};
        outcomes[i].run.end = names[i] == hangs_in ? CaseRun::End::wall_limit : CaseRun::End::finished;
      }
      return outcomes;
    };
  }

  std::vector<Names> rounds;
  std::string hangs_in;
  bool is_stopped = false;

 private:
  Verdict verdict_;
};

}  // namespace

TEST_CASE("both devices run the cases round by round") {
  MadeUpDevice on_virtual(Verdict::accepted), on_cuda(Verdict::accepted);
  const auto evidence = collect_evidence(lab(), on_virtual.round(), on_cuda.round());
  REQUIRE(evidence);
  CHECK(evidence->devices == Devices::both);
  CHECK(on_virtual.rounds == std::vector<Names>{{"a"}, {"b"}});
  CHECK(on_cuda.rounds == on_virtual.rounds);
  CHECK(score(lab(), *evidence).score == 100);
}

TEST_CASE("a case that one device refuses ends both devices' work on what needs it") {
  MadeUpDevice on_virtual(Verdict::wrong_answer), on_cuda(Verdict::accepted);
  const auto evidence = collect_evidence(lab(), on_virtual.round(), on_cuda.round());
  REQUIRE(evidence);
  CHECK(on_cuda.rounds == std::vector<Names>{{"a"}});
  CHECK(score(lab(), *evidence).score == 0);
}

TEST_CASE("after a program hung on one device, neither device runs further cases") {
  MadeUpDevice on_virtual(Verdict::accepted), on_cuda(Verdict::accepted);
  on_cuda.hangs_in = "a";
  const auto evidence = collect_evidence(lab(), on_virtual.round(), on_cuda.round());
  REQUIRE(evidence);
  CHECK(evidence->hung_case == "a");
  CHECK(on_virtual.rounds.size() == 1);
}

TEST_CASE("there is no evidence if either device was stopped") {
  for (const bool stops_cuda : {false, true}) {
    MadeUpDevice on_virtual(Verdict::accepted), on_cuda(Verdict::accepted);
    (stops_cuda ? on_cuda : on_virtual).is_stopped = true;
    CHECK_FALSE(collect_evidence(lab(), on_virtual.round(), on_cuda.round()));
  }
}

}  // namespace rounds_test
