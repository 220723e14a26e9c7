#include "schedule/device_runs.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <numeric>
#include <utility>

#include <sys/resource.h>

#include "base/files.hpp"
#include "schedule/batches.hpp"
#include "schedule/pool.hpp"
#include "schedule/rounds.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

void lower_to(std::atomic<std::size_t>& value, std::size_t bound) {
  std::size_t seen = value;
  while (seen > bound && !value.compare_exchange_weak(seen, bound)) {
  }
}

/// Each program on a real GPU has a context of its own, which takes half a second to create and some hundred
/// megabytes of its memory. Measurements have the GPU to themselves.
constexpr unsigned kMaxContexts = 6;

/// For this thread, and for the threads and processes that it starts. If it fails, measurements are only less
/// steady, so the result is ignored.
void lower_priority() {
  constexpr int kNice = 10;
  (void)::setpriority(PRIO_PROCESS, 0, kNice);  // on Linux, 0 means the calling thread
}

}  // namespace

DeviceRuns::DeviceRuns(const Lab& lab, const Runner& runner, CaseLibrary& cases, Options options)
    : lab_(lab),
      runner_(runner),
      cases_(cases),
      options_(std::move(options)),
      baseline_(runner, options_.cache, runner.paths().root / baseline_source(lab.workload),
                lab.sources.front()),
      case_runner_(lab, runner, cases, baseline_, options_.profile, options_.cache) {}

void DeviceRuns::prepare() {
  const auto is_timed = [](const Task& task) { return task.speedup.has_value(); };
  if (std::none_of(lab_.tasks.begin(), lab_.tasks.end(), is_timed)) return;
  // The compiler works while inputs are generated.
  std::vector<std::future<void>> working;
  working.push_back(std::async(std::launch::async, [&] { (void)baseline_.built(); }));
  for (const Task& task : lab_.tasks) {
    if (!is_timed(task) || stopped()) continue;
    const auto& prepared = cases_.prepare(task.speedup->case_on(device()));
    if (!prepared) continue;
    if (device() == DeviceKind::virtual_gpu) {
      baseline_.seconds(*prepared, case_runner_.profile_of(*prepared));
      continue;
    }
    // For a case of this size the oracle takes seconds on all cores, while other cases run.
    working.push_back(std::async(std::launch::async, [&] {
      lower_priority();
      cases_.shown(*prepared);
    }));
    // Two programs that start at the same time wait for the GPU together.
    working.push_back(std::async(std::launch::async, [&] { case_runner_.learn_pace(*prepared); }));
  }
}

Expected<Built, BuildFailure> DeviceRuns::build(const std::string& bytes) const {
  const TemporaryFolder folder("warpgrade-source");
  const std::string& name = lab_.sources.front();
  const std::filesystem::path copy = folder.path() / name;
  std::ofstream file(copy, std::ios::binary);
  file << bytes;
  file.close();
  if (!file)
    return Unexpected{
        BuildFailure{BuildFailure::Kind::grader_fault,
                     {grader_failure("cannot write a temporary file in " + folder.path().string())}}};
  return options_.cache != nullptr ? options_.cache->build(runner_, copy, name, &lab_.rules)
                                   : runner_.build(copy, name, &lab_.rules);
}

std::vector<std::optional<CaseOutcome>> DeviceRuns::run_batches(const std::vector<std::string>& names,
                                                                unsigned threads, const Built& built,
                                                                const SourceText& source,
                                                                SerialObserver& observer) {
  std::vector<std::optional<BatchCase>> cases;
  for (const std::string& name : names) cases.push_back(case_runner_.batch_case(name));
  const auto batches = batches_of(cases);
  std::vector<std::optional<CaseOutcome>> accepted(names.size());
  std::atomic<bool> has_hung{false};  // the program would use up its time in all batches
  run_jobs(threads, batches.size(), has_hung, [&](std::size_t which) {
    const auto& batch = batches[which];
    std::vector<std::string> of_batch;
    for (const std::size_t i : batch) of_batch.push_back(names[i]);
    observer.stage("running " + of_batch.front());
    std::vector<CaseOutcome> outcomes = case_runner_.run_batch(of_batch, built, source);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (hung(outcomes[i].run)) has_hung = true;
      if (outcomes[i].verdict.verdict != Verdict::accepted) continue;
      observer.case_done(device(), outcomes[i]);
      accepted[batch[i]] = std::move(outcomes[i]);
    }
  });
  return accepted;
}

std::size_t DeviceRuns::input_elements(const std::string& name) try {
  const auto& prepared = cases_.prepare(name);
  std::size_t sum = 0;
  const auto add = [&](const std::vector<harness::Input>& inputs) {
    for (const harness::Input& one : inputs) sum += element_count(one.shape);
  };
  if (!prepared) return sum;
  add(prepared->job.inputs);
  for (const harness::EarlierCall& one : prepared->job.earlier) add(one.inputs);
  return sum;
} catch (const std::exception&) {
  return 0;  // the run of the case reports why
}

std::vector<std::size_t> DeviceRuns::starting_order(const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size()), elements;
  std::iota(order.begin(), order.end(), 0);
  for (const std::string& name : names) elements.push_back(input_elements(name));
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](std::size_t a, std::size_t b) { return elements[a] > elements[b]; });
  return order;
}

std::optional<std::vector<std::optional<CaseOutcome>>> DeviceRuns::run(const std::vector<std::string>& due,
                                                                       const std::vector<std::string>& ahead,
                                                                       const Built& built,
                                                                       const SourceText& source,
                                                                       SerialObserver& observer) {
  static const std::atomic<bool> kNever{false};
  const std::atomic<bool>& stop = runner_.options().stop != nullptr ? *runner_.options().stop : kNever;
  if (options_.lets_others_first) lower_priority();
  // The cases that are due come first: if one of them hangs, the others do not run.
  std::vector<std::string> names = due;
  names.insert(names.end(), ahead.begin(), ahead.end());
  std::vector<std::optional<CaseOutcome>> outcomes(names.size());
  // A host program that hangs would use up its time limit in every case, so the cases after the first such
  // case are not run. The first one is determined by the order of the cases, not by threads.
  std::atomic<std::size_t> last{names.size() - 1};
  const unsigned threads =
      device() == DeviceKind::cuda ? std::min(options_.case_threads, kMaxContexts) : options_.case_threads;
  if (device() == DeviceKind::cuda) {
    outcomes = run_batches(names, threads, built, source, observer);
    names = due;
  }
  const std::vector<std::size_t> order = starting_order(names);
  std::mutex mutex;
  std::vector<bool> has_started(names.size());
  // After a case that hung, the others start from the first one on: the first one that hangs is then found
  // soon, and not after all the larger ones.
  const auto next = [&](std::size_t which) {
    const std::lock_guard lock(mutex);
    const bool has_hung = last + 1 < names.size();
    const auto first = std::find(has_started.begin(), has_started.end(), false);
    const std::size_t i = has_hung ? static_cast<std::size_t>(first - has_started.begin()) : order[which];
    has_started[i] = true;
    return i;
  };
  run_jobs(threads, names.size(), stop, [&](std::size_t which) {
    const std::size_t i = next(which);
    if (i > last || outcomes[i]) return;
    observer.stage("running " + names[i]);
    outcomes[i] = case_runner_.run(names[i], built, source);
    observer.case_done(device(), *outcomes[i]);
    if (hung(outcomes[i]->run)) lower_to(last, i);
  });
  return stop ? std::nullopt : std::optional(std::move(outcomes));
}

}  // namespace grader
