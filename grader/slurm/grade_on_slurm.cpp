#include "slurm/grade_on_slurm.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <thread>
#include <tuple>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "schedule/result_store.hpp"
#include "schedule/run_diagnostics.hpp"
#include "slurm/array_folders.hpp"
#include "slurm/executor.hpp"
#include "slurm/job_script.hpp"
#include "slurm/slurm_scheduler.hpp"

namespace grader::slurm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFingerprintDigits = 16;
/// The longest delay until files of another machine are visible: NFS caches attributes of folders for up to
/// 30 s by default.
constexpr std::chrono::seconds kFilesAppear{35};
/// A controller that is being upgraded or moved is available again within this time.
constexpr std::chrono::hours kControllerReturns{1};
/// A controller that does not answer in this time at the beginning probably does not exist.
constexpr std::chrono::minutes kFirstAnswer{1};

std::string fingerprint(const std::string& text) { return sha256_hex(text).substr(0, kFingerprintDigits); }

unsigned polls_in(std::chrono::duration<double> time, std::chrono::duration<double> poll_interval) {
  return 1 + static_cast<unsigned>(time / poll_interval);
}

/// The results of one run, as the executor sees them.
class RunWork {
 public:
  RunWork(const fs::path& dir, const Manifest& manifest, const Graders& graders,
          const std::function<void(const ItemDone&)>& done)
      : dir_(dir), manifest_(manifest), graders_(graders), done_(done) {}

  bool finished(std::size_t i) const {
    const auto stored = load_result(dir_, manifest_.settings, manifest_.items.at(i));
    if (stored.result && done_) done_({i, *stored.result, Publication::first});
    return stored.result.has_value();
  }

  std::optional<Diagnostic> give_up(std::size_t i, Diagnostic why) const {
    const WorkItem& item = manifest_.items.at(i);
    Result result = graders_.without_grade(item.lab, item.submission, Verdict::grader_fault, std::move(why));
    result.provenance.source_sha256 = item.source_sha256;
    // As a grader on a node would record it: this machine can have another device.
    result.provenance.device = manifest_.settings.device;
    result.provenance.profile = manifest_.settings.profile;
    result.provenance.gpu = manifest_.settings.gpu;
    const auto published = publish_result(dir_, item, result);
    if (!published) return output_unwritable(dir_ / result_path(item), published.error());
    finished(i);  // a task might have published its result first
    return std::nullopt;
  }

 private:
  const fs::path& dir_;
  const Manifest& manifest_;
  const Graders& graders_;
  const std::function<void(const ItemDone&)>& done_;
};

/// Sleeps in short intervals, so that Ctrl-C takes effect quickly.
void wait(std::chrono::duration<double> time, const std::atomic<bool>* stop) {
  constexpr std::chrono::milliseconds kPiece{100};
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end && (stop == nullptr || !*stop))
    std::this_thread::sleep_for(kPiece);
}

ExecutorOptions executor_options(const ClusterOptions& options, std::size_t total) {
  ExecutorOptions made;
  made.items_per_task = options.items_per_task;
  made.attempts = options.attempts;
  made.polls_until_lost =
      polls_in(std::min<std::chrono::duration<double>>(kFilesAppear, 4 * options.poll_interval),
               options.poll_interval);
  made.silent_polls = polls_in(kControllerReturns, options.poll_interval);
  made.first_silent_polls = polls_in(kFirstAnswer, options.poll_interval);
  made.detach = options.detach;
  made.stop = options.stop;
  made.wait = [pause = options.poll_interval, stop = options.stop] { wait(pause, stop); };
  if (options.progress)
    made.status = [=, show = options.progress](std::size_t missing, const std::string& queue) {
      show(total - missing, total, queue);
    };
  made.note = options.note;
  made.warn = options.warn;
  return made;
}

std::optional<Diagnostic> run(const fs::path& dir, const Manifest& manifest,
                              const std::vector<std::size_t>& items, const RunWork& results,
                              const ClusterOptions& options) {
  const fs::path slurm = dir / "slurm", script = slurm / "job.sh";
  auto arrays = ArrayFolders::open(slurm, {fingerprint(manifest_json(manifest)), manifest.items.size()});
  if (!arrays) return arrays.error();
  if (const auto written = write_file_atomically(script, job_script()); !written)
    return output_unwritable(script, written.error());

  SlurmJobs jobs{.run = "warpgrade-" + fingerprint(dir) + "-",
                 .needs_gpu = manifest.settings.device != "virtual",
                 .site = options.site,
                 .script = script,
                 .arguments = grader_environment()};
  for (const fs::path& word : {options.program, fs::path("grade-items"), dir}) jobs.arguments.push_back(word);
  const auto scheduler = open_slurm(std::move(jobs));
  if (!scheduler) return scheduler.error();

  const Work work{
      .items = grading_order(manifest, items),
      .finished = [&](std::size_t i) { return results.finished(i); },
      .give_up = [&](std::size_t i, Diagnostic why) { return results.give_up(i, std::move(why)); }};
  return execute(work, *arrays, **scheduler, executor_options(options, manifest.items.size()));
}

}  // namespace

Executor on_slurm(Graders graders, ClusterOptions options) {
  return [graders = std::move(graders), options = std::move(options)](
             const fs::path& dir, const Manifest& manifest, const std::vector<std::size_t>& items,
             const std::function<void(const ItemDone&)>& done) -> std::optional<Diagnostic> {
    if (items.empty()) return std::nullopt;
    std::error_code error;
    const fs::path here = fs::canonical(dir, error);
    if (error) return output_unwritable(dir, error.message());
    return run(here, manifest, items, RunWork(here, manifest, graders, done), options);
  };
}

std::vector<std::size_t> grading_order(const Manifest& manifest, std::vector<std::size_t> items) {
  std::map<std::pair<std::string, std::string>, std::size_t> first;  // first item with this lab and source
  for (const std::size_t i : items)
    first.try_emplace({manifest.items.at(i).lab, manifest.items[i].source_sha256}, i);
  const auto key = [&](std::size_t i) {
    const WorkItem& item = manifest.items[i];
    return std::tuple(std::string_view(item.lab), first.at({item.lab, item.source_sha256}), i);
  };
  std::sort(items.begin(), items.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return items;
}

}  // namespace grader::slurm
