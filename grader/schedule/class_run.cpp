#include "schedule/class_run.hpp"

#include <algorithm>
#include <mutex>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "report/class_text.hpp"
#include "schedule/journal.hpp"
#include "schedule/pool.hpp"
#include "schedule/reasons.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// The output folder: made, probed and locked before anything is graded.
class Output {
 public:
  static Expected<Output, Diagnostic> open(const fs::path& folder, std::size_t results) {
    std::error_code error;
    fs::create_directories(folder / "results", error);
    if (error) return Unexpected{output_unwritable(folder, error.message())};
    auto journal = Journal::open(folder / "journal.jsonl");
    if (!journal) return Unexpected{journal.error()};
    Output output(folder, *std::move(journal));
    if (auto problem = output.probe(results)) return Unexpected{*std::move(problem)};
    return output;
  }

  std::optional<Diagnostic> write(const fs::path& relative, std::string_view bytes) {
    const fs::path file = folder_ / relative;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return output_unwritable(file, error.message());
    const auto written = write_file_atomically(file, bytes);
    return written ? std::nullopt : std::optional(output_unwritable(file, written.error()));
  }

  std::optional<Diagnostic> record(const Json& event) {
    const auto appended = journal_.append(line_of(event));
    return appended ? std::nullopt : std::optional(appended.error());
  }

 private:
  Output(fs::path folder, Journal journal) : folder_(std::move(folder)), journal_(std::move(journal)) {}

  /// Better to fail now than after hours: writes about as much as all results will take, and removes it.
  std::optional<Diagnostic> probe(std::size_t results) {
    constexpr std::size_t kBytesPerResult = 16 * 1024, kMaxProbe = std::size_t{64} << 20U;
    const std::string bytes(std::min((results + 1) * kBytesPerResult, kMaxProbe), '\n');
    if (auto problem = write("results/.probe", bytes)) return problem;
    std::error_code error;
    fs::remove(folder_ / "results" / ".probe", error);
    return error ? std::optional(output_unwritable(folder_, error.message())) : std::nullopt;
  }

  fs::path folder_;
  Journal journal_;
};

struct Work {
  const Submission* submission = nullptr;
  const Lab* lab = nullptr;
};

std::vector<Work> all_work(const std::vector<Lab>& labs, const std::vector<Submission>& submissions) {
  std::vector<Work> work;
  for (const Submission& submission : submissions)
    for (const Lab& lab : labs) work.push_back({&submission, &lab});
  return work;
}

Json result_event(const Result& result, const std::string& file) {
  return {{"event", "result"},
          {"submission", result.submission},
          {"lab", result.lab},
          {"status", to_string(result.score.status)},
          {"verdict", to_string(result.score.verdict)},
          {"score", result.score.score},
          {"rubric_sha256", result.provenance.rubric_sha256},
          {"source_sha256", result.provenance.source_sha256},
          {"seed_file", result.provenance.seed_file},
          {"file", file},
          {"finished", result.provenance.finished}};
}

/// Shared by the jobs of one run.
class Run {
 public:
  Run(Output output, const GradeOne& grade, const ClassOptions& options, std::vector<Work> work)
      : output_(std::move(output)),
        grade_(grade),
        options_(options),
        work_(std::move(work)),
        rows_(work_.size()) {}

  void run_all() {
    run_jobs(options_.jobs, work_.size(), *options_.stop, [&](std::size_t i) { run_one(i); });
  }

  void fail(std::optional<Diagnostic> problem) {
    if (!problem) return;
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(problem);
    *options_.stop = true;
  }

  ClassOutcome finish(std::vector<std::string> labs, const std::vector<Submission>& submissions) {
    ClassOutcome outcome;
    outcome.summary.labs = std::move(labs);
    for (const Submission& one : submissions) outcome.summary.hand_ins[one.id] = one.hand_in;
    outcome.summary.expected_rows = work_.size();
    for (std::optional<ClassRow>& row : rows_)
      if (row) outcome.summary.rows.push_back(*std::move(row));
    outcome.summary.interrupted = outcome.summary.rows.size() < work_.size();
    fail(output_.write("gradebook.csv", gradebook_csv(outcome.summary)));
    fail(output_.write("summary.json", summary_json(outcome.summary)));
    fail(output_.record(
        {{"event", "end"}, {"results", outcome.summary.rows.size()}, {"expected", work_.size()}}));
    outcome.fault = fault_;
    return outcome;
  }

  Output& output() { return output_; }

 private:
  void run_one(std::size_t i) {
    const auto& [submission, lab] = work_[i];
    const auto result = grade_(*submission, *lab);
    if (!result) return;
    const std::string file = "results/" + submission->result_folder + "/" + lab->id + ".json";
    if (auto problem = output_.write(file, result_json(*result))) return fail(std::move(problem));
    if (auto problem = output_.record(result_event(*result, file))) return fail(std::move(problem));
    rows_[i] = class_row(*result, file);
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.progress) options_.progress(done_, work_.size(), submission->id);
  }

  Output output_;
  const GradeOne& grade_;
  const ClassOptions& options_;
  const std::vector<Work> work_;
  std::vector<std::optional<ClassRow>> rows_;  ///< by index of work_; each written by one job
  std::mutex mutex_;                           ///< guards what follows
  std::size_t done_ = 0;
  std::optional<Diagnostic> fault_;
};

}  // namespace

ClassOutcome grade_class(const std::vector<Lab>& labs, const std::vector<Submission>& submissions,
                         const GradeOne& grade, const ClassOptions& options) {
  std::atomic<bool> never{false};
  ClassOptions checked = options;
  if (checked.stop == nullptr) checked.stop = &never;
  std::vector<Work> work = all_work(labs, submissions);
  std::vector<std::string> names;
  for (const Lab& lab : labs) names.push_back(lab.id);

  auto output = Output::open(checked.out, work.size());
  if (!output) return {{names, {}, true, work.size(), {}}, output.error()};
  Run run(*std::move(output), grade, checked, std::move(work));
  run.fail(run.output().record({{"event", "start"}, {"labs", names}, {"submissions", submissions.size()}}));
  run.run_all();
  return run.finish(std::move(names), submissions);
}

}  // namespace grader
