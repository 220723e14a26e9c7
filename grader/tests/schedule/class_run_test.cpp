#include "schedule/class_run.hpp"

#include <csignal>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "catch.hpp"
#include "schedule/class_made_up.hpp"
#include "schedule/result_store.hpp"

namespace class_run_test {

using namespace grader;
using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

fs::path result_of(const MadeUpClass& made, const std::string& id) {
  return made.dir() / "results" / id / "02-tiled-matmul.json";
}

/// Sets `stop` when it is this submission's turn.
Graders stopping_at(const std::string& id, std::atomic<bool>& stop) {
  Graders graders = made_up_graders();
  graders.grade = [id, &stop, grade = graders.grade](const std::string& lab, const fs::path& source,
                                                     const std::vector<std::string>& submissions,
                                                     const auto& sink) {
    if (submissions.front() == id) stop = true;
    if (!stop) grade(lab, source, submissions, sink);
  };
  return graders;
}

Graders never() {
  Graders graders = made_up_graders();
  graders.grade = [](const auto&, const auto&, const auto&, const auto&) { FAIL("graded in vain"); };
  return graders;
}

}  // namespace

TEST_CASE("every submission has a result file, a row and a line in the journal") {
  const MadeUpClass made(12);
  const auto outcome = made.grade({.jobs = 2});
  CHECK_FALSE(outcome.fault);
  CHECK_FALSE(outcome.summary.interrupted);
  CHECK(outcome.summary.rows.size() == 12);
  for (const ClassRow& row : outcome.summary.rows) CHECK(fs::exists(made.dir() / row.file));
  const std::string journal = text_of(made.dir() / "journal.jsonl");
  CHECK(std::count(journal.begin(), journal.end(), '\n') == 1 + 12 + 1);
  CHECK(Json::parse(text_of(made.dir() / "summary.json"))["results"].size() == 12);
  CHECK(fs::exists(made.dir() / "gradebook.csv"));
  CHECK_FALSE(fs::exists(made.dir() / "attempts"));
}

TEST_CASE("results do not depend on the number of jobs") {
  const MadeUpClass one(12), four(12);
  one.grade({.jobs = 1});
  four.grade({.jobs = 4});
  CHECK(contents(one.dir()) == contents(four.dir()));
}

TEST_CASE("each of several labs gives a result") {
  const MadeUpClass made(3, {made_up_lab("01-a"), made_up_lab("02-b")});
  CHECK(made.grade().summary.rows.size() == 6);
  CHECK(fs::exists(made.dir() / "results" / "s100" / "02-b.json"));
}

TEST_CASE("submissions get results for the labs that they contain, for all labs if they contain none") {
  MadeUpClass made(3, {made_up_lab("01-a"), made_up_lab("02-b")});
  made.labs.at(1).sources = {"other.cu"};  // a file with the name of a lab's source is a part of that lab
  fs::rename(made.file("s100", "02-b"), made.file("s100", "02-b").parent_path() / "other.cu");
  fs::remove_all(made.file("s101", "02-b").parent_path());
  for (const char* lab : {"01-a", "02-b"}) fs::remove_all(made.file("s102", lab).parent_path());
  const auto outcome = made.grade({.owed = Owed::handed_in});
  CHECK_FALSE(outcome.fault);
  CHECK_FALSE(outcome.summary.interrupted);
  const auto rows_of = [&](const std::string& id) {
    std::vector<std::string> labs;
    for (const ClassRow& row : outcome.summary.rows)
      if (row.submission == id) labs.push_back(row.lab);
    return labs;
  };
  const std::vector<std::string> both = {"01-a", "02-b"};
  CHECK(rows_of("s100") == both);
  CHECK(rows_of("s101") == std::vector<std::string>{"01-a"});
  CHECK(rows_of("s102") == both);
  CHECK(outcome.summary.rows.size() == outcome.summary.expected_rows);
  CHECK(outcome.summary.rows.back().code == "WG-S10");
  CHECK_THAT(text_of(made.dir() / "gradebook.csv"), contains("\ns101,") && contains("\ns102,"));
}

TEST_CASE("results for every lab are given if they are requested") {
  MadeUpClass made(2, {made_up_lab("01-a"), made_up_lab("02-b")});
  fs::remove_all(made.file("s101", "02-b").parent_path());
  CHECK(made.grade({.owed = Owed::every_lab}).summary.rows.size() == 4);
}

TEST_CASE("a submission without a file has a result that reports this") {
  MadeUpClass made(2);
  fs::remove(made.file("s100"));
  const auto outcome = made.grade();
  REQUIRE(outcome.summary.rows.size() == 2);
  CHECK(outcome.summary.rows.front().status == ResultStatus::rejected);
  CHECK(outcome.summary.rows.front().code == "WG-S10");
}

TEST_CASE("an interrupted run keeps finished results, reports this, and can be continued") {
  const MadeUpClass made(12), whole(12);
  whole.grade();
  std::atomic<bool> stop{false};
  const auto first = made.grade({.stop = &stop}, stopping_at("s104", stop));
  CHECK(first.summary.interrupted);
  CHECK(first.summary.rows.size() == 4);
  CHECK(Json::parse(text_of(made.dir() / "summary.json"))["interrupted"] == true);
  CHECK_FALSE(fs::exists(result_of(made, "s104")));
  CHECK_FALSE(made.grade({.earlier = Earlier::resume}).fault);
  CHECK(contents(made.dir()) == contents(whole.dir()));
}

TEST_CASE("existing results are not graded again with --resume, and refused without it") {
  const MadeUpClass made(5);
  made.grade();
  const auto before = contents(made.dir());
  CHECK_FALSE(made.grade({.earlier = Earlier::resume}, never()).fault);
  const auto refused = made.grade({}, never());
  REQUIRE(refused.fault);
  CHECK(refused.fault->code == "WG-G33");
  CHECK_THAT(refused.fault->next_step, contains("--resume"));
  CHECK(contents(made.dir()) == before);
}

TEST_CASE("a result that is truncated, of another submission or of another source does not count") {
  const MadeUpClass made(6), whole(6);
  whole.grade();
  made.grade();
  const std::string text = text_of(result_of(made, "s100"));
  REQUIRE(write_file_atomically(result_of(made, "s100"), text.substr(0, text.size() / 2)));
  REQUIRE(write_file_atomically(result_of(made, "s101"), ""));
  REQUIRE(write_file_atomically(result_of(made, "s102"), text));
  fs::remove(result_of(made, "s103"));
  fs::create_symlink("/etc/passwd", result_of(made, "s103"));
  const auto outcome = made.grade({.earlier = Earlier::resume});
  CHECK_FALSE(outcome.fault);
  CHECK(outcome.notes.size() == 4);
  CHECK(contents(made.dir()) == contents(whole.dir()));
  CHECK(text_of(made.dir() / "history/001/results/s100/02-tiled-matmul.json") ==
        text.substr(0, text.size() / 2));
}

TEST_CASE("a run whose sources or settings have changed is not continued, and the changes are reported") {
  MadeUpClass made(4);
  made.grade();
  const auto before = contents(made.dir());
  made.hand_in("s101", "other");
  made.hand_in("s900", "late");
  made.settings.compiler = "nvcc 13.1.0";
  const auto refused = made.grade({.earlier = Earlier::resume}, never());
  REQUIRE(refused.fault);
  CHECK(refused.fault->code == "WG-G34");
  CHECK_THAT(refused.fault->what, contains("the compiler is nvcc 13.1.0 but was nvcc 13.0.88") &&
                                      contains("s101's file for 02-tiled-matmul has changed") &&
                                      contains("s900's file for 02-tiled-matmul is new"));
  CHECK(text_of(made.dir() / "manifest.json") == before.at("manifest.json"));
}

TEST_CASE("option --only changed grades what has changed and nothing else, and keeps what it replaces") {
  MadeUpClass made(4);
  made.grade();
  const std::string old = text_of(result_of(made, "s101"));
  made.hand_in("s101", "other");
  made.hand_in("s900", "late");
  fs::remove_all(made.file("s103").parent_path().parent_path());
  std::vector<std::string> graded;
  Graders graders = made_up_graders();
  graders.grade = [&, grade = graders.grade](const std::string& lab, const fs::path& source,
                                             const std::vector<std::string>& submissions, const auto& sink) {
    graded.push_back(submissions.front());
    grade(lab, source, submissions, sink);
  };
  const auto refused = made.grade({.earlier = Earlier::only_changed}, graders);
  REQUIRE(refused.fault);
  CHECK(refused.fault->code == "WG-G61");
  CHECK_THAT(refused.fault->what, contains("02-tiled-matmul of s103"));
  CHECK(graded.empty());
  CHECK(text_of(result_of(made, "s101")) == old);
  fs::remove_all(result_of(made, "s103").parent_path());  // as the message says

  const auto outcome = made.grade({.earlier = Earlier::only_changed}, graders);
  CHECK_FALSE(outcome.fault);
  CHECK(graded == std::vector<std::string>{"s101", "s900"});
  CHECK(outcome.summary.rows.size() == 4);
  CHECK(text_of(made.dir() / "history/001/results/s101/02-tiled-matmul.json") == old);
  CHECK_FALSE(fs::exists(result_of(made, "s103")));
  CHECK(fs::exists(made.dir() / "history/001/manifest.json"));
}

TEST_CASE(
    "the first file of a submission can arrive late, and the labs that it owed until then are dropped") {
  MadeUpClass made(1, {made_up_lab("01-a"), made_up_lab("02-b")});
  made.labs.at(1).sources = {"other.cu"};
  fs::create_directories(made.file("s900", "01-a").parent_path().parent_path());
  CHECK(made.grade({.owed = Owed::handed_in}).summary.rows.size() == 4);  // s900 owes both labs
  made.hand_in("s900", "late", "01-a");
  const auto outcome = made.grade({.earlier = Earlier::only_changed, .owed = Owed::handed_in});
  REQUIRE_FALSE(outcome.fault);
  CHECK(outcome.summary.rows.size() == 3);
  REQUIRE_FALSE(outcome.notes.empty());
  CHECK_THAT(outcome.notes.front(), contains("s900 has no row for 02-b any more"));
}

TEST_CASE("option --only changed rescores what it can, and grades the rest again") {
  MadeUpClass made(5);
  made.grade();
  made.settings.rubrics["02-tiled-matmul"] = "new rubric";
  made.hand_in("s103", "other");
  const auto rescore = [](const Result& stored) -> std::optional<Result> {
    if (stored.submission == "s101") return std::nullopt;
    Result result = stored;
    result.provenance.rubric_sha256 = stored.submission == "s102" ? "a third" : "new rubric";
    result.score.score = 1;
    return result;
  };
  std::vector<std::string> graded;
  Graders graders = made_up_graders();
  graders.grade = [&, grade = graders.grade](const std::string& lab, const fs::path& source,
                                             const std::vector<std::string>& submissions, const auto& sink) {
    graded.push_back(submissions.front());
    grade(lab, source, submissions, [&](std::size_t which, Result result) {
      result.provenance.rubric_sha256 = "new rubric";
      sink(which, std::move(result));
    });
  };
  const auto outcome = made.grade({.earlier = Earlier::only_changed, .rescore = rescore}, graders);
  CHECK_FALSE(outcome.fault);
  CHECK(graded == std::vector<std::string>{"s101", "s102", "s103"});  // not rescored, wrong rubric, changed
  REQUIRE(outcome.summary.rows.size() == 5);
  CHECK(outcome.summary.rows.front().score == 1);
  CHECK(outcome.notes.back() ==
        "2 results were rescored from stored verdicts and counters; 3 are graded again");
  CHECK_THAT(text_of(made.dir() / "journal.jsonl"),
             contains("\"event\":\"scored anew\",\"submission\":\"s100\""));
  CHECK(fs::exists(made.dir() / "history/001/results/s100/02-tiled-matmul.json"));
}

TEST_CASE("option --only failed grades submissions without a grade again") {
  const MadeUpClass made(4), whole(4);
  whole.grade();
  Graders failing = made_up_graders();
  failing.grade = [&, grade = failing.grade](const std::string& lab, const fs::path& source,
                                             const std::vector<std::string>& submissions, const auto& sink) {
    if (submissions.front() != "s102") return grade(lab, source, submissions, sink);
    sink(0, failing.without_grade(lab, "s102", Verdict::grader_fault, diagnose("WG-G23", "broken", "")));
  };
  CHECK(made.grade({}, failing).summary.rows.at(2).status == ResultStatus::grader_fault);
  CHECK(made.grade({.earlier = Earlier::resume}, never()).summary.rows.at(2).status ==
        ResultStatus::grader_fault);
  const auto again = made.grade({.earlier = Earlier::only_failed});
  CHECK_FALSE(again.fault);
  CHECK(std::none_of(again.notes.begin(), again.notes.end(),
                     [](const std::string& note) { return note.starts_with("0 results"); }));
  CHECK(contents(made.dir()) == contents(whole.dir()));
  CHECK(made.grade({.earlier = Earlier::only_failed}, never()).notes ==
        std::vector<std::string>{"0 results had to be graded again: each has a grade"});
}

TEST_CASE("a damaged manifest stops the run with a diagnostic") {
  const MadeUpClass made(2);
  made.grade();
  REQUIRE(write_file_atomically(made.dir() / "manifest.json", "{\"schema\""));
  const auto outcome = made.grade({.earlier = Earlier::resume}, never());
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->code == "WG-G35");
}

TEST_CASE("an output folder that cannot be written is found before anything is graded") {
  const MadeUpClass made(5);
  REQUIRE(write_file_atomically(made.dir(), "x"));
  const auto outcome = made.grade({.jobs = 2}, never());
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->code == "WG-G21");
}

TEST_CASE("a folder that another run writes to is not changed") {
  const MadeUpClass made(1);
  Graders nested = made_up_graders();
  nested.grade = [&](const auto&...) {
    const auto second = made.grade();
    CHECK((second.fault && second.fault->code == "WG-G22"));
  };
  CHECK_FALSE(made.grade({}, nested).fault);
}

TEST_CASE("a disk that fills up during a run stops it with the reason and leaves only complete files") {
  const MadeUpClass made(12), whole(12);
  whole.grade();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  Graders graders = made_up_graders();
  graders.grade = [&, grade = graders.grade](const std::string& lab, const fs::path& source,
                                             const std::vector<std::string>& submissions, const auto& sink) {
    if (submissions.front() == "s103") {  // from here on, files of more than 100 bytes do not fit
      const rlimit now{100, before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &now);
    }
    grade(lab, source, submissions, sink);
  };
  const auto outcome = made.grade({}, graders);
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->code == "WG-G21");
  CHECK(outcome.summary.rows.size() == 3);
  for (const auto& [file, text] : contents(made.dir() / "results")) CHECK(Json::accept(text));
  CHECK_FALSE(made.grade({.earlier = Earlier::resume}).fault);
  CHECK(contents(made.dir()) == contents(whole.dir()));
}

}  // namespace class_run_test
