#include "schedule/look_ahead.hpp"

#include <set>

#include "catch.hpp"

// In a namespace of its own, because all test files of a folder are compiled together.
namespace look_ahead_test {

using namespace grader;
using Names = std::vector<std::string>;

namespace {

/// Tasks 0 → 1 → … → 5 with one case each ("0" to "5") and two at level 1 ("1", "1b"). The last one measures
/// "speed".
Lab chain() {
  Lab lab;
  for (int i = 0; i < 6; ++i) {
    Task& task = lab.tasks.emplace_back();
    task.id = task.cases.emplace_back(std::to_string(i));
    if (i > 0) task.needs = {std::to_string(i - 1)};
  }
  lab.tasks[1].cases.push_back("1b");
  lab.tasks[2].cases.push_back("1b");
  Speedup& speedup = lab.tasks[5].speedup.emplace();
  speedup.virtual_case = speedup.cuda_case = "speed";
  for (const char* name : {"0", "1", "1b", "2", "3", "4", "5", "speed"}) lab.cases.emplace_back().name = name;
  return lab;
}

struct MadeUpProgram {
  std::set<std::string> wrong;
  std::string hangs_in;
  std::vector<Names> rounds;

  /// As a device does, leaves out the cases after the first one that hung.
  Round round() {
    return [this](const Names& names) -> std::optional<std::vector<CaseOutcome>> {
      rounds.push_back(names);
      std::vector<CaseOutcome> outcomes(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const Verdict verdict = wrong.contains(names[i]) ? Verdict::wrong_answer : Verdict::accepted;
        outcomes[i].verdict = {names[i], verdict, {}};
        if (names[i] != hangs_in) continue;
        outcomes[i].run.end = CaseRun::End::wall_limit;
        break;
      }
      return outcomes;
    };
  }
};

/// The names in the verdicts of the outcomes.
Names asked(const Round& round, const Names& names) {
  Names got;
  for (const CaseOutcome& one : round(names).value()) got.push_back(one.verdict.case_name);
  return got;
}

}  // namespace

TEST_CASE("rounds run ahead as far as the submission has come, and return what is asked for") {
  const Lab lab = chain();
  MadeUpProgram program;
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"4"}, {"5", "speed"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3", "4", "5", "speed"}});
}

TEST_CASE("on a real GPU, a speed-up is measured only when it is asked for") {
  const Lab lab = chain();
  MadeUpProgram program;
  const Round round = looking_ahead(lab, DeviceKind::cuda, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"4"}, {"5", "speed"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3", "4", "5"}, {"speed"}});
}

TEST_CASE("nothing runs ahead after a case that was not accepted") {
  const Lab lab = chain();
  MadeUpProgram program;
  program.wrong = {"2"};
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"4"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3"}, {"4"}});
}

TEST_CASE("a case that hangs ahead of its round keeps no other case from its outcome") {
  const Lab lab = chain();
  MadeUpProgram program;
  program.hangs_in = "4";  // runs with "3"; "5" after it does not run then
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"5"}, {"4"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3", "4", "5", "speed"}, {"5"}});
}

TEST_CASE("a device that was stopped has no outcomes, also ahead of the round") {
  const Lab lab = chain();
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, [](const Names&) { return std::nullopt; });
  CHECK_FALSE(round({"0"}));
}

}  // namespace look_ahead_test
