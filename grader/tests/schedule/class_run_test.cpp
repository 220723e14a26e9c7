#include "schedule/class_run.hpp"

#include <csignal>
#include <thread>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "base/files.hpp"
#include "catch.hpp"

using namespace grader;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

Lab lab(const std::string& id = "02-tiled-matmul") {
  Lab made;
  made.id = id;
  made.sources = {"tiled_matmul.cu"};
  return made;
}

std::vector<Submission> submissions(std::size_t count) {
  std::vector<Submission> list;
  for (std::size_t i = 0; i < count; ++i) {
    Submission one;
    one.id = std::to_string(100 + i).insert(0, 1, 's');
    one.result_folder = result_folder_name(one.id);
    list.push_back(one);
  }
  return list;
}

/// Points from the name alone, after a while that differs from one to the next.
std::optional<Result> pretend(const Submission& submission, const Lab& of_lab) {
  std::this_thread::sleep_for(std::chrono::microseconds(submission.id.back() % 3 * 300));
  Result result;
  result.submission = submission.id;
  result.lab = of_lab.id;
  result.score.score = submission.id.back() - '0';
  result.score.max_score = 9;
  return result;
}

std::string text_of(const fs::path& file) { return *read_file(file, 1 << 20U); }

ClassOutcome run(const fs::path& out, unsigned jobs, std::size_t count, const GradeOne& grade = pretend,
                 std::atomic<bool>* stop = nullptr) {
  return grade_class({lab()}, submissions(count), grade, {out, jobs, stop, {}});
}

}  // namespace

TEST_CASE("every submission has a result file, a row and a line in the journal") {
  const TemporaryFolder out("out");
  const auto outcome = run(out.path(), 2, 12);
  CHECK_FALSE(outcome.fault);
  CHECK_FALSE(outcome.summary.interrupted);
  CHECK(outcome.summary.rows.size() == 12);
  for (const ClassRow& row : outcome.summary.rows) CHECK(fs::exists(out.path() / row.file));
  const std::string journal = text_of(out.path() / "journal.jsonl");
  CHECK(std::count(journal.begin(), journal.end(), '\n') == 1 + 12 + 1);
  CHECK(Json::parse(text_of(out.path() / "summary.json"))["results"].size() == 12);
  CHECK(fs::exists(out.path() / "gradebook.csv"));
}

TEST_CASE("results do not depend on the number of jobs") {
  const TemporaryFolder one("out"), four("out");
  run(one.path(), 1, 12);
  run(four.path(), 4, 12);
  CHECK(text_of(one.path() / "summary.json") == text_of(four.path() / "summary.json"));
  CHECK(text_of(one.path() / "gradebook.csv") == text_of(four.path() / "gradebook.csv"));
}

TEST_CASE("several labs give a result each") {
  const TemporaryFolder out("out");
  const auto outcome =
      grade_class({lab("01-a"), lab("02-b")}, submissions(3), pretend, {out.path(), 2, nullptr, {}});
  CHECK(outcome.summary.rows.size() == 6);
  CHECK(fs::exists(out.path() / "results" / "s100" / "02-b.json"));
}

TEST_CASE("an interrupted run keeps what was finished and says so") {
  const TemporaryFolder out("out");
  std::atomic<bool> stop{false};
  const GradeOne grade = [&](const Submission& submission, const Lab& of_lab) -> std::optional<Result> {
    if (submission.id == "s104") stop = true;
    if (stop) return std::nullopt;
    return pretend(submission, of_lab);
  };
  const auto outcome = run(out.path(), 1, 12, grade, &stop);
  CHECK(outcome.summary.interrupted);
  CHECK(outcome.summary.rows.size() == 4);
  CHECK(Json::parse(text_of(out.path() / "summary.json"))["interrupted"] == true);
  CHECK_FALSE(fs::exists(out.path() / "results" / "s104"));
}

TEST_CASE("an output folder that cannot be written is found before anything is graded") {
  const GradeOne never = [](const Submission&, const Lab&) -> std::optional<Result> {
    FAIL("graded although nothing can be written");
    return std::nullopt;
  };
  const TemporaryFolder folder("out");
  REQUIRE(write_file_atomically(folder.path() / "file", "x"));
  for (const fs::path& out : {fs::path("/proc/out"), folder.path() / "file"}) {
    const auto outcome = run(out, 2, 5, never);
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->code == "WG-G21");
  }
}

TEST_CASE("a folder that another run writes to is left alone") {
  const TemporaryFolder out("out");
  const GradeOne nested = [&](const Submission& submission, const Lab& of_lab) {
    const auto second = run(out.path(), 1, 1);
    CHECK((second.fault && second.fault->code == "WG-G22"));
    return pretend(submission, of_lab);
  };
  CHECK_FALSE(run(out.path(), 1, 1, nested).fault);
}

TEST_CASE("a disk that fills up in the middle stops the run, leaves whole files only and says why") {
  const TemporaryFolder out("out");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const GradeOne grade = [&](const Submission& submission, const Lab& of_lab) {
    if (submission.id == "s103") {  // from here on, files of more than 100 bytes do not fit
      const rlimit now{100, before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &now);
    }
    return pretend(submission, of_lab);
  };
  const auto outcome = run(out.path(), 1, 12, grade);
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->code == "WG-G21");
  CHECK(outcome.summary.rows.size() == 3);
  for (const auto& entry : fs::recursive_directory_iterator(out.path() / "results")) {
    if (entry.is_regular_file()) CHECK(Json::accept(text_of(entry.path())));
  }
}
