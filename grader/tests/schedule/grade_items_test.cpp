#include "schedule/grade_items.hpp"

#include "catch.hpp"
#include "report/result_reader.hpp"
#include "schedule/class_made_up.hpp"
#include "schedule/result_store.hpp"

namespace grade_items_test {

using namespace grader;
using namespace testing;
namespace fs = std::filesystem;

namespace {

Manifest planned(const MadeUpClass& made) {
  CHECK_FALSE(made.plan().fault);
  return **read_manifest(made.dir());
}

/// The first `faults` attempts at each file fail.
Graders unlucky(int faults, std::atomic<int>& attempts) {
  Graders graders = made_up_graders();
  graders.grade = [faults, &attempts, made_up = graders](const std::string& lab, const fs::path& source,
                                                         const std::vector<std::string>& submissions,
                                                         const auto& sink) {
    if (++attempts > faults) return made_up.grade(lab, source, submissions, sink);
    for (std::size_t i = 0; i < submissions.size(); ++i)
      sink(i, made_up.without_grade(lab, submissions[i], Verdict::grader_fault, diagnose("WG-G23", "x", "")));
  };
  return graders;
}

Result result_of(const MadeUpClass& made, const Manifest& manifest, std::size_t item) {
  const auto stored = load_result(made.dir(), manifest.settings, manifest.items.at(item));
  REQUIRE(stored.result);
  return *stored.result;
}

}  // namespace

TEST_CASE("parts of a run, graded one after the other from the manifest, make the whole") {
  const MadeUpClass parts(7), whole(7);
  whole.grade();
  const Manifest manifest = planned(parts);
  CHECK(missing_items(parts.dir(), manifest, all_items(manifest)).size() == 7);
  CHECK_FALSE(grade_items(parts.dir(), manifest, {0, 1, 2}, made_up_graders(), {}));
  CHECK(missing_items(parts.dir(), manifest, all_items(manifest)) == std::vector<std::size_t>{3, 4, 5, 6});
  CHECK_FALSE(grade_items(parts.dir(), manifest, {2, 3, 4, 5, 6}, made_up_graders(), {}));
  CHECK_FALSE(parts.grade({.earlier = Earlier::resume}).fault);
  CHECK(contents(parts.dir()) == contents(whole.dir()));
}

TEST_CASE("equal files of one lab are graded once, and each submission gets its own result") {
  MadeUpClass made(3, {made_up_lab("01-a"), made_up_lab("02-b")});
  for (const char* id : {"s100", "s102"}) made.hand_in(id, "the same", "01-a");
  made.hand_in("s101", "the same", "02-b");  // another lab is another question
  std::atomic<int> calls{0};
  const auto outcome = made.grade({.jobs = 2}, unlucky(0, calls));
  CHECK(calls == 5);
  CHECK(outcome.summary.rows.size() == 6);
  const std::string one = text_of(made.dir() / "results/s100/01-a.json");
  std::string other = text_of(made.dir() / "results/s102/01-a.json");
  CHECK_THAT(other, contains("\"submission\": \"s102\""));
  other.replace(other.find("s102"), 4, "s100");
  CHECK(one == other);
}

namespace {

Lab asking_lab(const std::string& id) {
  Lab lab = made_up_lab(id);
  Question& bytes = lab.questions.emplace_back();
  bytes.id = "bytes";
  bytes.formula = "tile-bytes";
  bytes.text = "bytes of {tile}?";
  return lab;
}

std::string right_answers(const Lab& lab, const std::string& name) {
  return R"({"schema": "warpgrade.answers/1", "lab": ")" + lab.id + R"(", "name": ")" + name +
         R"(", "answers": {"bytes": )" + std::to_string(*truth_of(lab, lab.questions[0], name, {})) + "}}";
}

Result result_in(const MadeUpClass& made, const std::string& path) {
  const auto result = parse_result(text_of(made.dir() / "results" / path));
  REQUIRE(result);
  return *result;
}

}  // namespace

TEST_CASE("answers are graded for the submission that handed them in, and only for its name") {
  const Lab lab = asking_lab("01-a"), other = asking_lab("02-b");
  MadeUpClass made(5, {lab, other});
  const auto hand_in = [&](const fs::path& file, const std::string& text) {
    write_file_atomically(file, text);
  };
  const auto folder = [&](const std::string& id, const std::string& of) {
    return made.file(id, of).parent_path();
  };
  hand_in(folder("s100", "01-a") / "answers.json", right_answers(lab, "S100"));
  hand_in(folder("s101", "01-a") / "answers.json", right_answers(lab, "s100"));  // copied
  hand_in(folder("s102", "01-a").parent_path() / "answers.json", right_answers(other, "s102"));
  fs::create_symlink("/etc/passwd", folder("s103", "01-a") / "answers.json");
  for (const char* id : {"s100", "s101"}) made.hand_in(id, "the same", "01-a");  // graded together

  Graders graders = made_up_graders();
  graders.answers = [&](const std::string& id, const std::string& text, const std::vector<std::string>& names,
                        const CounterValues& counters) {
    const Lab& of = id == lab.id ? lab : other;
    return text.empty() ? nothing_answered(of, "") : grade_answers(of, text, names, counters);
  };
  const ClassOutcome outcome = made.grade({.jobs = 2}, graders);
  CHECK_FALSE(outcome.fault);
  CHECK(outcome.summary.hand_ins.at("s100").notes.empty());
  REQUIRE(outcome.summary.hand_ins.at("s101").notes.size() == 1);
  CHECK_THAT(outcome.summary.hand_ins.at("s101").notes.front(),
             contains("01-a: no answers count") && contains("is for the name \"s100\""));
  CHECK(result_in(made, "s100/01-a.json").questions->points() == 1);
  const QuestionsOutcome copied = *result_in(made, "s101/01-a.json").questions;
  CHECK(copied.points() == 0);
  CHECK_THAT(copied.problem, contains("is for the name \"s100\""));
  CHECK_FALSE(result_in(made, "s102/01-a.json").questions);  // the file names the other lab
  CHECK(result_in(made, "s102/02-b.json").questions->points() == 1);
  const QuestionsOutcome linked = *result_in(made, "s103/01-a.json").questions;
  CHECK_THAT(linked.problem, contains("symbolic link"));
  CHECK(linked.max_points() == 1);
  CHECK_FALSE(result_in(made, "s104/01-a.json").questions);

  CHECK(made.grade({.earlier = Earlier::resume}, graders).summary.rows.size() == 10);  // all results count
  hand_in(folder("s101", "01-a") / "answers.json", right_answers(lab, "s101"));
  CHECK_FALSE(made.grade({.earlier = Earlier::only_changed}, graders).fault);
  CHECK(result_in(made, "s101/01-a.json").questions->points() == 1);
}

TEST_CASE("a fault is retried, and the result records the number of attempts") {
  const MadeUpClass made(1);
  const Manifest manifest = planned(made);
  std::atomic<int> attempts{0};
  ItemsOptions options;
  options.pause = {};
  CHECK_FALSE(grade_items(made.dir(), manifest, {0}, unlucky(2, attempts), options));
  const Result result = result_of(made, manifest, 0);
  CHECK(result.score.status == ResultStatus::graded);
  CHECK(result.provenance.attempts == 3);
}

TEST_CASE("a persistent fault is reported as a fault and never charged to the student") {
  const MadeUpClass made(1);
  const Manifest manifest = planned(made);
  std::atomic<int> attempts{0};
  ItemsOptions options;
  options.pause = {};
  CHECK_FALSE(grade_items(made.dir(), manifest, {0}, unlucky(99, attempts), options));
  CHECK(attempts == 3);
  CHECK(result_of(made, manifest, 0).score.status == ResultStatus::grader_fault);
}

TEST_CASE("a copy of a source that was changed is never graded") {
  const MadeUpClass made(1);
  const Manifest manifest = planned(made);
  REQUIRE(write_file_atomically(made.dir() / source_path(manifest.items[0]), "something else"));
  std::atomic<int> attempts{0};
  CHECK_FALSE(grade_items(made.dir(), manifest, {0}, unlucky(0, attempts), {}));
  CHECK(attempts == 0);
  const Result result = result_of(made, manifest, 0);
  CHECK(result.score.status == ResultStatus::grader_fault);
  CHECK(result.score.checks.front().diagnostics.front().code == "WG-G36");
  CHECK(made.grade({.earlier = Earlier::only_failed}).summary.rows.front().status == ResultStatus::graded);
}

}  // namespace grade_items_test
