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

  /// As a device does, leaves out the cases after the first one that hung, and on a real GPU the cases ahead
  /// that are not accepted.
  RoundAhead round(DeviceKind device = DeviceKind::virtual_gpu) {
    return [=, this](const Names& due,
                     const Names& ahead) -> std::optional<std::vector<std::optional<CaseOutcome>>> {
      Names names = due;
      names.insert(names.end(), ahead.begin(), ahead.end());
      rounds.push_back(names);
      std::vector<std::optional<CaseOutcome>> outcomes(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const Verdict verdict = wrong.contains(names[i]) ? Verdict::wrong_answer : Verdict::accepted;
        if (i >= due.size() && device == DeviceKind::cuda && verdict != Verdict::accepted) continue;
        outcomes[i].emplace().verdict = {names[i], verdict, {}};
        if (names[i] != hangs_in) continue;
        outcomes[i]->run.end = CaseRun::End::wall_limit;
        break;
      }
      return outcomes;
    };
  }
};

/// The names in the verdicts of the outcomes.
Names asked(const Round& round, const Names& names) {
  Names got;
  const std::vector<CaseOutcome> outcomes = round(names).value();
  for (const CaseOutcome& one : outcomes) got.push_back(one.verdict.case_name);
  return got;
}

}  // namespace

TEST_CASE("rounds run ahead as far as the submission has come, and return what is asked for") {
  const Lab lab = chain();
  MadeUpProgram program;
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, Reach::twice_as_far, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"4"}, {"5", "speed"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3", "4", "5", "speed"}});
}

TEST_CASE("on a real GPU, all cases run ahead, but a speed-up is measured only when it is asked for") {
  const Lab lab = chain();
  MadeUpProgram program;
  const Round round =
      looking_ahead(lab, DeviceKind::cuda, Reach::everything, program.round(DeviceKind::cuda));
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"4"}, {"5", "speed"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0", "1", "1b", "2", "3", "4", "5"}, {"speed"}});
}

TEST_CASE("on a real GPU, a case ahead that was not accepted runs again when it is asked for") {
  const Lab lab = chain();
  MadeUpProgram program;
  program.wrong = {"1b"};
  const Round round =
      looking_ahead(lab, DeviceKind::cuda, Reach::everything, program.round(DeviceKind::cuda));
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}}) CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0", "1", "1b", "2", "3", "4", "5"}, {"1b"}});
}

TEST_CASE("next to a real GPU, the virtual one runs all cases in the first round") {
  const Lab lab = chain();
  MadeUpProgram program;
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, Reach::everything, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}}) CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0", "1", "1b", "2", "3", "4", "5", "speed"}});
}

TEST_CASE("nothing runs ahead after a case that was not accepted") {
  const Lab lab = chain();
  MadeUpProgram program;
  program.wrong = {"2"};
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, Reach::twice_as_far, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"4"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3"}, {"4"}});
}

TEST_CASE("a case that hangs ahead of its round keeps no other case from its outcome") {
  const Lab lab = chain();
  MadeUpProgram program;
  program.hangs_in = "4";  // runs with "3"; "5" after it does not run then
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, Reach::twice_as_far, program.round());
  for (const Names& names : {Names{"0"}, {"1", "1b"}, {"2"}, {"3"}, {"5"}, {"4"}})
    CHECK(asked(round, names) == names);
  CHECK(program.rounds == std::vector<Names>{{"0"}, {"1", "1b", "2"}, {"3", "4", "5", "speed"}, {"5"}});
}

TEST_CASE("a round without cases ahead asks only for what is due") {
  MadeUpProgram program;
  program.hangs_in = "1";
  const Round round = only_due(program.round());
  CHECK(asked(round, {"0", "1", "2"}) == Names{"0", "1", ""});
  CHECK(program.rounds == std::vector<Names>{{"0", "1", "2"}});
}

TEST_CASE("a device that was stopped has no outcomes, also ahead of the round") {
  const Lab lab = chain();
  const Round round = looking_ahead(lab, DeviceKind::virtual_gpu, Reach::twice_as_far,
                                    [](const auto&...) { return std::nullopt; });
  CHECK_FALSE(round({"0"}));
}

}  // namespace look_ahead_test
