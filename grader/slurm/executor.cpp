#include "slurm/executor.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "slurm/slurm_diagnostics.hpp"

namespace grader::slurm {
namespace {

using Life = TaskReport::Life;
using Failure = Scheduler::Failure;

bool alive(const TaskReport& task) { return task.life == Life::waiting || task.life == Life::running; }

/// "12 tasks run, 30 wait (Priority)".
std::string summary(const std::vector<TaskReport>& tasks) {
  std::size_t running = 0, waiting = 0;
  std::string reason;
  for (const TaskReport& task : tasks) {
    running += task.life == Life::running ? 1 : 0;
    waiting += task.life == Life::waiting ? 1 : 0;
    if (task.life == Life::waiting) reason = task.reason;
  }
  return fmt::format("Slurm: {} tasks run, {} wait{}", running, waiting,
                     waiting > 0 ? fmt::format(" ({})", reason) : "");
}

/// This run's knowledge about an item without a result.
struct Fate {
  unsigned attempts = 0;    ///< submitted by this run, without the excused ones
  unsigned polls_lost = 0;  ///< consecutive polls
  bool excused = false;     ///< the last attempt failed because of the node
};

class Execution {
 public:
  Execution(const Work& work, ArrayFolders& arrays, Scheduler& scheduler, const ExecutorOptions& options)
      : work_(work),
        arrays_(arrays),
        scheduler_(scheduler),
        options_(options),
        per_task_(options.items_per_task > 0 ? options.items_per_task : items_per_task(work.items.size())),
        missing_(work.items) {}

  std::optional<Diagnostic> run() {
    for (;;) {
      if (options_.stop != nullptr && *options_.stop) return leave();
      // Ask the scheduler first: results that a task published before it ended are then found among the
      // files.
      const auto tasks = scheduler_.tasks();
      std::erase_if(missing_, [&](std::size_t item) { return work_.finished(item); });
      if (missing_.empty()) return cancel_rest();
      if (auto problem = tasks ? process_answer(*tasks) : tolerate_silence(tasks.error())) return problem;
      if (missing_.empty()) return cancel_rest();  // the remaining items were given up
      options_.wait();
    }
  }

 private:
  void note(const std::string& text) {
    if (text != last_note_ && options_.note) options_.note(text);
    last_note_ = text;
  }

  std::optional<Diagnostic> tolerate_silence(const Failure& failure) {
    if (failure.kind == Trouble::misunderstood) return answer_not_understood(failure.complaint);
    silent_ = true;
    const unsigned most = has_answered_ ? options_.silent_polls : options_.first_silent_polls;
    if (++silent_polls_ >= most) return controller_silent(failure.complaint);
    note("Slurm does not answer: " + failure.complaint);
    return std::nullopt;
  }

  /// One poll with the scheduler's answer: gives up items that were lost too often and submits the other lost
  /// items.
  std::optional<Diagnostic> process_answer(const std::vector<TaskReport>& tasks) {
    silent_ = false;
    has_answered_ = true;
    for (const TaskReport& task : tasks) reports_[{task.array, task.index}] = task;
    cancel_unknown_tasks(tasks);
    const bool others_alive = std::any_of(tasks.begin(), tasks.end(), alive);
    const Items lost = lost_items(tasks);
    if (auto problem = check_folder_is_shared(lost, others_alive)) return problem;
    remember_traceless(lost);
    for (const std::size_t item : lost) excuse(item);
    if (auto problem = give_up_hopeless(lost)) return problem;
    if (auto problem = submit_lost(lost, others_alive)) return problem;
    if (!silent_) silent_polls_ = 0;
    if (options_.status) options_.status(missing_.size(), summary(tasks));
    report_stalled_queue(tasks);
    return std::nullopt;
  }

  /// Drained nodes stay out of service until an operator resumes them, so a run whose nodes are all drained
  /// would wait for ever without a message.
  void report_stalled_queue(const std::vector<TaskReport>& tasks) {
    const auto has = [&](Life life) {
      return std::any_of(tasks.begin(), tasks.end(), [&](const auto& task) { return task.life == life; });
    };
    stalled_polls_ = has(Life::waiting) && !has(Life::running) ? stalled_polls_ + 1 : 0;
    if (stalled_polls_ == 0 || stalled_polls_ % options_.stalled_polls != 0) return;
    std::vector<std::string> nodes;
    for (const OutOfService& one : scheduler_.out_of_service())
      nodes.push_back(fmt::format("{} ({})", one.nodes, one.reason));
    if (!nodes.empty())
      note(
          fmt::format("Slurm runs no task; out of service: {}. Return a repaired node to service with "
                      "`scontrol update nodename=NODE state=resume`",
                      fmt::join(nodes, ", ")));
  }

  /// Cancels arrays of an earlier manifest in this folder, and arrays whose submission seemed to fail.
  void cancel_unknown_tasks(const std::vector<TaskReport>& tasks) {
    std::set<std::string> jobs;
    for (const TaskReport& task : tasks)
      if (alive(task) && arrays_.items({task.array, task.index}).empty()) jobs.insert(task.job);
    if (!jobs.empty()) cancel(jobs);
  }

  void cancel(const std::set<std::string>& jobs) {
    const auto cancelled = scheduler_.cancel(jobs);
    if (!cancelled && options_.warn) options_.warn(jobs_left(cancelled.error().complaint));
  }

  Items lost_items(const std::vector<TaskReport>& tasks) {
    std::set<std::size_t> under_way;
    for (const TaskReport& task : tasks) {
      if (!alive(task)) continue;
      const Items& items = arrays_.items({task.array, task.index});
      under_way.insert(items.begin(), items.end());
    }
    Items lost;
    for (const std::size_t item : missing_) {
      Fate& fate = fates_[item];
      fate.polls_lost = under_way.contains(item) ? 0 : fate.polls_lost + 1;
      const unsigned needed = fate.attempts == 0 ? 1 : options_.polls_until_lost;
      if (fate.polls_lost >= needed) lost.push_back(item);
    }
    return lost;
  }

  /// The node on which a task failed before it could write to its log; nullptr if it wrote or did not run.
  const std::string* node_of_traceless(const TaskName& task) const {
    const auto report = reports_.find(task);
    if (report == reports_.end() || report->second.state != "FAILED" || report->second.node.empty())
      return nullptr;
    return arrays_.has_log(task) ? nullptr : &report->second.node;
  }

  /// Error if the nodes do not see the folder: one message is better than a fault for every submission.
  std::optional<Diagnostic> check_folder_is_shared(const Items& lost, bool others_alive) {
    folder_is_written_ = folder_is_written_ || missing_.size() < work_.items.size();
    if (others_alive) return std::nullopt;
    for (const std::size_t item : lost) {
      if (folder_is_written_ || fates_[item].attempts == 0) continue;
      const auto last = arrays_.last_task(item);
      if (!last) continue;
      if (node_of_traceless(*last) != nullptr)
        return folder_not_shared(arrays_.folder(last->array), ending(*last));
      folder_is_written_ = arrays_.has_log(*last);
    }
    return std::nullopt;
  }

  void remember_traceless(const Items& lost) {
    for (const std::size_t item : lost)
      if (const auto last = arrays_.last_task(item); last && fates_[item].attempts > 0)
        if (const std::string* node = node_of_traceless(*last)) traceless_[*node].insert(*last);
  }

  /// The node that caused a task to leave no result: the task reported the node as unhealthy, or several
  /// tasks could not even write a log there. A single task without a log might have been killed at its start.
  std::optional<std::string> faulty_node(const TaskName& task) const {
    constexpr std::size_t kSeveral = 2;
    if (auto node = arrays_.unhealthy_node(task)) return node;
    for (const auto& [node, tasks] : traceless_)
      if (tasks.size() >= kSeveral && tasks.contains(task)) return node;
    return std::nullopt;
  }

  /// A fault of a node does not count as an attempt; the item goes to other nodes. Only tasks submitted
  /// before the node was excluded can blame it, so this ends at the latest with the last node.
  void excuse(std::size_t item) {
    Fate& fate = fates_[item];
    const auto last = arrays_.last_task(item);
    if (fate.attempts == 0 || fate.excused || !last) return;
    const auto node = faulty_node(*last);
    if (!node || excluded_from_[last->array].contains(*node)) return;
    fate.excused = true;
    last_excused_ = *last;
    --fate.attempts;
    if (excluded_.insert(*node).second)
      note(fmt::format("node {} cannot grade; other nodes take its work", *node));
  }

  std::optional<Diagnostic> give_up_hopeless(const Items& lost) {
    for (const std::size_t item : lost) {
      if (fates_[item].attempts < options_.attempts) continue;
      const TaskName last = arrays_.last_task(item).value_or(TaskName{});
      if (auto problem =
              work_.give_up(item, given_up(options_.attempts, ending(last), arrays_.log_tail(last))))
        return problem;
      std::erase(missing_, item);
    }
    return std::nullopt;
  }

  /// "task 3 of array 2 was last seen as TIMEOUT on n1".
  std::string ending(const TaskName& task) const {
    const std::string name = fmt::format("task {} of array {}", task.index, task.array);
    const auto report = reports_.find(task);
    if (report == reports_.end()) return name + " is not known to Slurm";
    const TaskReport& seen = report->second;
    return fmt::format("{} was last seen as {}{}{}", name, seen.state, seen.node.empty() ? "" : " on ",
                       seen.node);
  }

  /// The more often an item was lost, the fewer other items are in its task.
  std::vector<Items> tasks_for(const Items& lost) {
    std::map<std::size_t, Items> by_size;
    for (const std::size_t item : lost)
      if (const unsigned attempts = fates_[item].attempts; attempts < options_.attempts)
        by_size[items_per_retry(per_task_, attempts)].push_back(item);
    std::vector<Items> tasks;
    for (const auto& [size, items] : by_size)
      for (Items& chunk : chunks(items, size)) tasks.push_back(std::move(chunk));
    return tasks;
  }

  std::optional<Diagnostic> submit_lost(const Items& lost, bool others_alive) {
    const std::vector<Items> tasks = tasks_for(lost);
    if (tasks.empty()) return std::nullopt;
    if (!largest_array_) {
      const auto answer = scheduler_.largest_array();
      if (!answer) return unsubmitted(answer.error(), others_alive);
      largest_array_ = std::min(*answer, options_.tasks_per_array);
    }
    for (std::size_t start = 0; start < tasks.size(); start += *largest_array_) {
      const std::size_t end = std::min(tasks.size(), start + *largest_array_);
      const auto at = [&](std::size_t i) { return tasks.begin() + static_cast<std::ptrdiff_t>(i); };
      std::optional<Failure> failure;
      if (auto problem = submit_array({at(start), at(end)}, failure)) return problem;
      if (failure) return unsubmitted(*failure, others_alive || start > 0);
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> submit_array(const std::vector<Items>& tasks, std::optional<Failure>& failure) {
    const auto array = arrays_.add(tasks);
    if (!array) return array.error();
    const auto submitted = scheduler_.submit({*array, arrays_.folder(*array), tasks.size(), excluded_});
    if (!submitted) {
      arrays_.remove(*array);  // if it exists anyway, its tasks find no list and end immediately
      failure = submitted.error();
      return std::nullopt;
    }
    excluded_from_[*array] = excluded_;
    for (const Items& items : tasks)
      for (const std::size_t item : items) fates_[item] = {.attempts = fates_[item].attempts + 1};
    return std::nullopt;
  }

  /// Slurm can refuse a job because of a limit on the number of jobs and accept it after others have ended.
  /// So a refusal is final only if no task of this run is left in the queue.
  std::optional<Diagnostic> unsubmitted(const Failure& failure, bool others_alive) {
    if (failure.kind == Trouble::unreachable) return tolerate_silence(failure);
    if (failure.kind == Trouble::misunderstood) return answer_not_understood(failure.complaint);
    if (others_alive) {
      note("Slurm accepts no more jobs for now: " + failure.complaint);
      return std::nullopt;
    }
    if (excluded_.empty()) return job_refused(failure.complaint);
    return no_healthy_node(excluded_, failure.complaint, arrays_.log_tail(last_excused_));
  }

  /// Ends the run after a stop by the user.
  std::optional<Diagnostic> leave() {
    if (!options_.detach) return cancel_rest();
    note("the jobs continue; --resume collects their results");
    return std::nullopt;
  }

  /// Cancels the tasks left in the queue: those started twice, held for ever, or not needed any more.
  std::optional<Diagnostic> cancel_rest() {
    const auto tasks = scheduler_.tasks();
    if (!tasks) {
      if (options_.warn) options_.warn(jobs_left(tasks.error().complaint));
      return std::nullopt;
    }
    std::set<std::string> jobs;
    for (const TaskReport& task : *tasks)
      if (task.life != Life::ended) jobs.insert(task.job);
    if (!jobs.empty()) cancel(jobs);
    return std::nullopt;
  }

  const Work& work_;
  ArrayFolders& arrays_;
  Scheduler& scheduler_;
  const ExecutorOptions& options_;
  const std::size_t per_task_;

  Items missing_;
  std::map<std::size_t, Fate> fates_;
  std::map<TaskName, TaskReport> reports_;                      ///< as last seen
  std::set<std::string> excluded_;                              ///< nodes
  std::map<std::size_t, std::set<std::string>> excluded_from_;  ///< by array that this run submitted
  std::map<std::string, std::set<TaskName>> traceless_;         ///< by node
  TaskName last_excused_;
  std::optional<std::size_t> largest_array_;
  bool folder_is_written_ = false;
  bool has_answered_ = false;
  bool silent_ = false;  ///< at this poll
  unsigned silent_polls_ = 0;
  unsigned stalled_polls_ = 0;
  std::string last_note_;
};

}  // namespace

std::optional<Diagnostic> execute(const Work& work, ArrayFolders& arrays, Scheduler& scheduler,
                                  const ExecutorOptions& options) {
  return Execution(work, arrays, scheduler, options).run();
}

}  // namespace grader::slurm
