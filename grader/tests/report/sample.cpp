#include "report/sample.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace testing {

using namespace grader;

namespace {

Task task(std::string id, std::string title, double points, std::vector<std::string> needs,
          std::vector<std::string> cases) {
  Task made;
  made.id = std::move(id);
  made.title = std::move(title);
  made.points = points;
  made.needs = std::move(needs);
  made.cases = std::move(cases);
  return made;
}

std::string title_of(const std::string& task_id) {
  static const Lab lab = sample_lab();
  const Task* task = lab.find_task(task_id);
  return task == nullptr ? "" : task->title;
}

Check check(std::string id, std::string task_id, CheckStatus status, double points, double max_points) {
  Check made;
  made.id = std::move(id);
  made.task_title = title_of(task_id);
  made.task = std::move(task_id);
  made.status = status;
  made.points = points;
  made.max_points = max_points;
  if (status == CheckStatus::pass) made.verdict = Verdict::accepted;
  return made;
}

Result result() {
  Result made;
  made.submission = "alice";
  made.lab = "02-tiled-matmul";
  made.score.max_score = 100;
  Provenance& how = made.provenance;
  how.grader_version = "0.1.0";
  how.rubric_sha256 = "aa";
  how.facts_sha256 = "dd";
  how.source_sha256 = "bb";
  how.inputs["one"] = {6, "cc", "ee"};
  how.front_end = "nvcc";
  how.compiler = "nvcc 13.0.88";
  how.device = "virtual";
  how.profile = "lecture";
  how.clock_hz = 1.465e9;
  how.time_limit_s = 20;
  how.sandbox = "bubblewrap 0.8.0";
  how.started = "2026-01-02T03:04:05Z";
  how.finished = "2026-01-02T03:04:06Z";
  return made;
}

Diagnostic out_of_bounds() {
  Diagnostic diagnostic;
  diagnostic.code = "WG-M02";
  diagnostic.what = "write of 4 bytes 3,584 bytes past the end of the third allocation (4,420 bytes)";
  diagnostic.where = SourceLocation{"tiled_matmul.cu", 42};
  diagnostic.first = "thread (0,1,0) of block (4,0,0)";
  diagnostic.count = 1023;
  diagnostic.likely_cause = "threads of the last block that lie outside P store their sum as well";
  diagnostic.next_step = "store only where row < m and col < n";
  diagnostic.source_line = "\tP[row * n + col] = sum;  // the \x1b[31mred\x1b[0m line";
  return diagnostic;
}

}  // namespace

Lab sample_lab() {
  Lab lab;
  lab.gates = Gates::all;
  lab.id = "02-tiled-matmul";
  lab.title = "Tiled matrix product with boundary checks";
  lab.sources = {"tiled_matmul.cu"};
  lab.tasks = {task("tiling", "Tiled kernel on multiples of the tile", 30, {}, {"square-64", "square-256"}),
               task("boundary", "Any shape: boundary checks", 30, {"tiling"},
                    {"one", "17x33x65", "31x1x257", "100x100x100"}),
               task("traffic", "Traffic with global memory", 20, {"tiling"}, {}),
               task("speed", "Speed-up over the naive kernel", 20, {"boundary"}, {})};
  Objective objective;
  objective.counter = "global_load_requested_bytes_per_flop";
  objective.case_name = "square-256";
  objective.at_most = 0.3;
  objective.naive = 4;
  objective.solution = 0.25;
  objective.related = {{"global_load_transferred_bytes_per_flop", 2, 0.25}};
  lab.tasks[2].objectives = {objective};
  return lab;
}

Result accepted_result() {
  Result made = result();
  made.score.score = 100;
  made.score.checks = {
      check("tiling/square-64", "tiling", CheckStatus::pass, 15, 15),
      check("tiling/square-256", "tiling", CheckStatus::pass, 15, 15),
      check("boundary/one", "boundary", CheckStatus::pass, 30, 30),
      check("traffic/global_load_requested_bytes_per_flop@square-256", "traffic", CheckStatus::pass, 20, 20),
      check("speed/square-256", "speed", CheckStatus::pass, 20, 20)};
  made.score.counters["square-256"] = {{"global_load_requested_bytes_per_flop", 0.25},
                                       {"global_load_transferred_bytes_per_flop", 0.25}};
  Performance speed;
  speed.case_name = "square-256";
  speed.baseline_s = 2.624e-3;
  speed.student_s = 262.4e-6;
  speed.speedup = 10;
  speed.threshold.full = 3.5;
  speed.threshold.half = 2;
  speed.verdict = SpeedVerdict::pass;
  made.score.performance = {speed};
  return made;
}

Lab bonus_lab() {
  Lab lab = sample_lab();
  lab.tasks.push_back(task("any-width", "Tiles of any width", 10, {"tiling"}, {"width-24"}));
  lab.tasks.back().is_bonus = true;
  return lab;
}

Result bonus_result() {
  Result made = accepted_result();
  Check& bonus =
      made.score.checks.emplace_back(check("any-width/width-24", "any-width", CheckStatus::fail, 0, 10));
  bonus.is_bonus = true;
  bonus.verdict = Verdict::runtime_error;
  bonus.diagnostics = {out_of_bounds()};
  return made;
}

Result failing_result() {
  Result made = result();
  made.score.score = 37.5;
  made.score.verdict = Verdict::runtime_error;
  made.score.checks = {
      check("tiling/square-64", "tiling", CheckStatus::pass, 15, 15),
      check("tiling/square-256", "tiling", CheckStatus::pass, 15, 15),
      check("boundary/one", "boundary", CheckStatus::pass, 7.5, 7.5),
      check("boundary/17x33x65", "boundary", CheckStatus::fail, 0, 7.5),
      check("boundary/31x1x257", "boundary", CheckStatus::fail, 0, 7.5),
      check("boundary/100x100x100", "boundary", CheckStatus::fail, 0, 7.5),
      check("traffic/global_load_requested_bytes_per_flop@square-256", "traffic", CheckStatus::fail, 0, 20),
      check("speed/square-256", "speed", CheckStatus::skip, 0, 20)};
  for (int i = 3; i < 5; ++i) {
    made.score.checks.at(i).verdict = Verdict::runtime_error;
    made.score.checks.at(i).diagnostics = {out_of_bounds()};
  }
  Diagnostic values;
  values.code = "WG-V05";
  values.what = "124 of 10,000 values are wrong; all lie in the last 4 columns";
  made.score.checks.at(5).verdict = Verdict::wrong_answer;
  made.score.checks.at(5).diagnostics = {values};
  Diagnostic objective;
  objective.code = "WG-P01";
  objective.what = "global load requested B/flop is 4 when it should be at most 0.3";
  made.score.checks.at(6).diagnostics = {objective};
  made.score.checks.at(7).skip_reason = "needs: boundary";
  made.score.counters["square-256"] = {{"global_load_requested_bytes_per_flop", 4},
                                       {"global_load_transferred_bytes_per_flop", 2.25}};
  return made;
}

Result limited_result() {
  Result made = failing_result();
  made.score.score = 42.5;
  Check& speed = made.score.checks.back() = check("speed/square-256", "speed", CheckStatus::pass, 5, 20);
  speed.cap = Cap{0.25, "boundary"};
  return made;
}

Result both_devices_result() {
  Result made = accepted_result();
  made.provenance.device = "both";
  made.provenance.gpu = "NVIDIA H200";
  made.score.score = 70;
  made.score.verdict = Verdict::wrong_answer;
  constexpr std::array kDevices = {Devices::both, Devices::both, Devices::both, Devices::virtual_gpu,
                                   Devices::cuda};
  for (std::size_t i = 0; i < kDevices.size(); ++i) made.score.checks.at(i).devices = kDevices.at(i);
  Check& one = made.score.checks.at(2);
  one.status = CheckStatus::fail;
  one.points = 0;
  one.verdict = Verdict::wrong_answer;
  Diagnostic disagreement = diagnose(
      "WG-D01",
      "the devices disagree on one: accepted on the virtual GPU, wrong answer (WG-V01) on the real GPU",
      "compare the devices");
  disagreement.severity = Severity::warning;
  one.diagnostics = {diagnose("WG-V01", "1 of 1 values is wrong", "compare"), disagreement};
  return made;
}

Result compile_error_result() {
  Result made = result();
  made.score.verdict = Verdict::compile_error;
  made.score.checks.push_back(check("build", "", CheckStatus::fail, 0, 0));
  for (const char* id : {"tiling", "boundary", "traffic", "speed"}) {
    made.score.checks.push_back(check(std::string(id) + "/one", id, CheckStatus::skip, 0, 25));
    made.score.checks.back().skip_reason = "needs: build";
  }
  Diagnostic diagnostic;
  diagnostic.code = "WG-C01";
  diagnostic.what = "expected a ';'";
  diagnostic.where = SourceLocation{"tiled_matmul.cu", 7};
  diagnostic.source_line = "  float sum = 0";
  made.score.checks.front().diagnostics = {diagnostic};
  return made;
}

QuestionsOutcome some_answers() {
  QuestionsOutcome outcome;
  outcome.name = "alice";
  outcome.answers_sha256 = std::string(64, 'c');
  outcome.answers = {{"tile-bytes", AnswerStatus::right, 2, 2},
                     {"memory", AnswerStatus::wrong, 0, 1},
                     {"own-blocks", AnswerStatus::open, 0, 2},
                     {"halo", AnswerStatus::right, 1, 1}};
  return outcome;
}

ClassSummary sample_class() {
  ClassSummary summary;
  summary.labs = {"02-tiled-matmul"};
  const auto add = [&](const std::string& id, Result result_of) {
    result_of.submission = id;
    summary.rows.push_back(class_row(result_of, "results/" + id + "/02-tiled-matmul.json"));
  };
  add("=HYPERLINK(\"x\")", accepted_result());
  add("alice", accepted_result());
  add("bob \x1b[2J", failing_result());
  add("carol", compile_error_result());
  add("陳大文", failing_result());
  Result fault = result();
  fault.score.status = ResultStatus::grader_fault;
  fault.score.verdict = Verdict::grader_fault;
  add("zoë with a very long name that no column can hold", fault);
  summary.expected_rows = summary.rows.size();
  return summary;
}

ClassSummary sample_class_of_two_labs() {
  ClassSummary summary = sample_class();
  summary.labs.emplace_back("03-reduction-divergence");
  summary.rows.push_back(summary.rows.at(2));
  summary.rows.back().submission = "a.name-of-twenty-six-letters";
  summary.rows.back().lab = summary.labs.back();
  summary.expected_rows = summary.rows.size();
  return summary;
}

Terminal plain(std::size_t width) {
  return {.width = width, .interactive = false, .color = false, .unicode = true};
}
Terminal window(std::size_t width) {
  return {.width = width, .interactive = true, .color = false, .unicode = true};
}
Terminal colored() { return {.width = 80, .interactive = true, .color = true, .unicode = true}; }
Terminal ascii() { return {.width = 80, .interactive = false, .color = false, .unicode = false}; }

std::string golden(const std::string& name, const std::string& actual) {
  const auto file =
      std::filesystem::path(WARPGRADE_SOURCE_DIR) / "grader" / "tests" / "report" / "golden" / name;
  if (std::getenv("WARPGRADE_APPROVE") != nullptr) std::ofstream(file, std::ios::binary) << actual;
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace testing
