#include "schedule/class_run.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/utc.hpp"
#include "report/class_text.hpp"
#include "schedule/compare_runs.hpp"
#include "schedule/journal.hpp"
#include "schedule/result_store.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Problem = std::optional<Diagnostic>;

std::string line_of(const Json& json) { return json_text(json); }

Json result_event(const char* event, const WorkItem& item, const Result& result) {
  return {{"event", event},
          {"submission", result.submission},
          {"lab", result.lab},
          {"status", to_string(result.score.status)},
          {"verdict", to_string(result.score.verdict)},
          {"score", result.score.score},
          {"rubric_sha256", result.provenance.rubric_sha256},
          {"source_sha256", result.provenance.source_sha256},
          {"seed_file", result.provenance.seed_file},
          {"attempts", result.provenance.attempts},
          {"file", result_path(item).string()},
          {"finished", result.provenance.finished}};
}

/// The output folder. While the object exists, no other process can grade into the folder.
class Output {
 public:
  static Expected<Output, Diagnostic> open(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder / "results", error);
    if (error) return Unexpected{output_unwritable(folder, error.message())};
    auto journal = Journal::open(folder / "journal.jsonl");
    if (!journal) return Unexpected{journal.error()};
    if (auto done = finish_apply(folder); !done) return Unexpected{output_unwritable(folder, done.error())};
    return Output(folder, *std::move(journal));
  }

  const fs::path& folder() const { return folder_; }

  Problem write(const fs::path& relative, std::string_view bytes) const {
    const auto written = write_file_atomically(folder_ / relative, bytes);
    return written ? std::nullopt : Problem(output_unwritable(folder_ / relative, written.error()));
  }

  Problem record(const Json& event) {
    const auto appended = journal_.append(line_of(event));
    return appended ? std::nullopt : Problem(appended.error());
  }

  /// Moves a file to the history and records why.
  Problem retire(const fs::path& relative, const std::string& why) {
    if (auto kept = history_.keep(relative); !kept)
      return output_unwritable(folder_ / relative, kept.error());
    return record({{"event", "replaced"}, {"file", relative.string()}, {"why", why}});
  }

  /// Detects a full disk now instead of after hours: writes about as many bytes as the results will take, and
  /// removes them.
  Problem probe(std::size_t results) const {
    constexpr std::size_t kBytesPerResult = 16 * 1024, kMaxProbe = std::size_t{64} << 20U;
    const std::string bytes(std::min((results + 1) * kBytesPerResult, kMaxProbe), '\n');
    if (auto problem = write(".probe", bytes)) return problem;
    std::error_code error;
    fs::remove(folder_ / ".probe", error);
    return error ? Problem(output_unwritable(folder_, error.message())) : std::nullopt;
  }

 private:
  Output(fs::path folder, Journal journal)
      : folder_(std::move(folder)), journal_(std::move(journal)), history_(folder_) {}

  fs::path folder_;
  Journal journal_;
  History history_;
};

/// The existing result files, relative to `folder`, in order.
std::set<fs::path> result_files(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder / "results", error), end; !error && entry != end;
       entry.increment(error))
    if (!entry->is_directory(error)) files.insert(entry->path().lexically_relative(folder));
  return files;
}

/// One call of grade_class(), step by step. Each step returns an error if the run cannot continue.
class Run {
 public:
  Run(Output output, const ClassOptions& options) : output_(std::move(output)), options_(options) {}

  Problem prepare(const std::vector<Lab>& labs, const std::vector<Submission>& submissions) {
    if (auto problem = output_.probe(submissions.size() * labs.size())) return problem;
    const auto before = read_manifest(output_.folder());
    if (!before) return before.error();
    if (options_.earlier == Earlier::refuse && (*before || !result_files(output_.folder()).empty()))
      return results_exist(output_.folder());
    auto items = take_in(submissions, labs, options_.owed, output_.folder());
    if (!items) return items.error();
    manifest_ = {options_.settings, *std::move(items), options_.seed_file_path};
    if (auto problem = adopt(*before)) return problem;
    return retire_what_does_not_count();
  }

  Problem execute(const Executor& executor) {
    if (auto problem = output_.record({{"event", "start"},
                                       {"at", utc_now()},
                                       {"results", manifest_.items.size()},
                                       {"missing", missing_.size()}}))
      return problem;
    const std::size_t total = manifest_.items.size();
    std::size_t done = total - missing_.size();
    if (options_.progress) options_.progress(done, total, "");
    Problem unrecorded;
    auto problem = executor(output_.folder(), manifest_, missing_, [&](const ItemDone& one) {
      const WorkItem& item = manifest_.items.at(one.item);
      const char* event = one.publication == Publication::first ? "result" : "late result";
      if (auto failed = output_.record(result_event(event, item, one.result)); failed && !unrecorded) {
        unrecorded = failed;
        if (options_.stop != nullptr) *options_.stop = true;
      }
      if (options_.progress) options_.progress(++done, total, item.submission);
    });
    return problem ? problem : unrecorded;
  }

  ClassOutcome finish(Problem fault, const std::vector<Submission>& submissions) {
    ClassOutcome outcome{summarize(output_.folder(), manifest_), std::move(fault), std::move(notes_)};
    for (const Submission& one : submissions) outcome.summary.hand_ins[one.id] = one.hand_in;
    for (const ClassRow& row : outcome.summary.rows)
      if (!row.refused_answers.empty())
        outcome.summary.hand_ins[row.submission].notes.push_back(
            fmt::format("{}: no answers count: {}", row.lab, row.refused_answers));
    const auto note = [&](Problem problem) {
      if (problem && !outcome.fault) outcome.fault = std::move(problem);
    };
    std::error_code ignored;
    fs::remove_all(output_.folder() / kCourseFolder, ignored);
    note(output_.write("gradebook.csv", gradebook_csv(outcome.summary)));
    note(output_.write("summary.json", summary_json(outcome.summary)));
    note(output_.record({{"event", "end"},
                         {"at", utc_now()},
                         {"results", outcome.summary.rows.size()},
                         {"expected", outcome.summary.expected_rows}}));
    // Left by processes that were killed.
    if (!outcome.summary.interrupted) fs::remove_all(output_.folder() / "attempts", ignored);
    return outcome;
  }

 private:
  /// Makes manifest_ the folder's manifest, or returns why that is not allowed.
  Problem adopt(const std::optional<Manifest>& before) {
    const std::string text = manifest_json(manifest_);
    manifest_ = *parse_manifest(text);  // parsed again, so that names are as every other process reads them
    if (before) {
      const std::vector<std::string> changes = differences(*before, manifest_);
      if (changes.empty()) return std::nullopt;
      if (options_.earlier != Earlier::only_changed) return run_has_changed(output_.folder(), changes);
      if (const auto left_out = left_out_of(*before); !left_out.empty())
        return results_left_out(output_.folder(), left_out);
      if (auto problem = output_.retire("manifest.json", changes.front())) return problem;
    }
    return output_.write("manifest.json", text);
  }

  /// The results in the folder that the new manifest does not ask for: dropping them would most likely be a
  /// mistake in the command. No result is dropped when the first file of a submission arrives late: until
  /// then, the submission owed a file for every lab.
  std::vector<std::string> left_out_of(const Manifest& before) {
    std::set<fs::path> owed;
    std::set<std::string> handed_in;
    for (const WorkItem& item : manifest_.items) {
      owed.insert(result_path(item));
      if (!item.refused) handed_in.insert(item.folder);
    }
    std::vector<std::string> left_out;
    for (const WorkItem& item : before.items) {
      std::error_code ignored;
      if (owed.contains(result_path(item)) || !fs::exists(output_.folder() / result_path(item), ignored))
        continue;
      if (item.refused && handed_in.contains(item.folder))
        notes_.push_back(fmt::format("{} has no row for {} any more: no file was handed in for it",
                                     item.submission, item.lab));
      else
        left_out.push_back(fmt::format("{} of {}", item.lab, item.submission));
    }
    return left_out;
  }

  Problem retire_what_does_not_count() {
    std::set<fs::path> strays = result_files(output_.folder());
    for (std::size_t i = 0; i < manifest_.items.size(); ++i) {
      strays.erase(result_path(manifest_.items[i]));
      if (auto problem = settle(i)) return problem;
    }
    if (scored_count_ > 0)
      notes_.push_back(
          fmt::format("{} results were rescored from stored verdicts and counters; {} are graded again",
                      scored_count_, missing_.size()));
    if (options_.earlier == Earlier::only_failed && missing_.empty())
      notes_.emplace_back("0 results had to be graded again: each has a grade");
    for (const fs::path& stray : strays)
      if (auto problem = output_.retire(stray, "the manifest has no such item")) return problem;
    return std::nullopt;
  }

  /// Afterwards either a result that counts is in the item's place, or there is none and the item is listed
  /// as missing.
  Problem settle(std::size_t i) {
    const WorkItem& item = manifest_.items[i];
    const auto stored = load_result(output_.folder(), manifest_.settings, item);
    const std::string why = why_graded_again(stored);
    if (stored.result && why.empty()) return std::nullopt;
    const auto scored = scored_anew(item, stored);
    if (!scored) missing_.push_back(i);
    if (why.empty()) return std::nullopt;
    if (is_stopped() && !scored) return std::nullopt;  // keep the file for the next run with --resume
    if (auto problem = output_.retire(result_path(item), why)) return problem;
    if (scored) return publish_scored(item, *scored);
    notes_.push_back(result_path(item).string() + " is graded again: " + why);
    return std::nullopt;
  }

  bool is_stopped() const { return options_.stop != nullptr && *options_.stop; }

  std::optional<Result> scored_anew(const WorkItem& item, const StoredResult& stored) const {
    if (!stored.other || !options_.rescore || item.refused || is_stopped()) return std::nullopt;
    auto scored = options_.rescore(*stored.other);
    if (scored) grade_item_answers(output_.folder(), item, options_.answers, *scored);
    if (scored) scored->receipt = item.receipt;
    if (!scored || !mismatch(manifest_.settings, item, *scored).empty()) return std::nullopt;
    return scored;
  }

  Problem publish_scored(const WorkItem& item, const Result& result) {
    ++scored_count_;
    const auto published = publish_result(output_.folder(), item, result);
    if (!published) return output_unwritable(output_.folder() / result_path(item), published.error());
    return output_.record(result_event("scored anew", item, result));
  }

  std::string why_graded_again(const StoredResult& stored) const {
    if (!stored.result) return stored.problem;
    const bool fault = stored.result->score.status == ResultStatus::grader_fault;
    return fault && options_.earlier == Earlier::only_failed ? "it has no grade" : "";
  }

  Output output_;
  const ClassOptions& options_;
  Manifest manifest_;
  std::vector<std::size_t> missing_;
  std::vector<std::string> notes_;
  std::size_t scored_count_ = 0;
};

}  // namespace

ClassOutcome grade_class(const std::vector<Lab>& labs, const std::vector<Submission>& submissions,
                         const Executor& execute, const ClassOptions& options) {
  ClassOutcome nothing;
  nothing.summary.interrupted = true;
  nothing.summary.expected_rows = labs.size() * submissions.size();
  auto output = Output::open(options.out);
  if (!output) {
    nothing.fault = output.error();
    return nothing;
  }
  Run run(*std::move(output), options);
  if ((nothing.fault = run.prepare(labs, submissions))) return nothing;
  return run.finish(run.execute(execute), submissions);
}

}  // namespace grader
