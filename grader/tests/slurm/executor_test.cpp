#include "slurm/executor.hpp"

#include <algorithm>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "base/files.hpp"
#include "catch.hpp"

namespace executor_test {

using namespace grader;
using namespace grader::slurm;
using testing::contains;
using Life = TaskReport::Life;

namespace {

/// A simulated cluster under a test's control. Whenever the executor waits, all waiting tasks run.
class FakeCluster : public Scheduler {
 public:
  explicit FakeCluster(ArrayFolders& arrays) : arrays_(arrays) {}

  std::set<std::size_t> results;
  std::vector<TaskReport> queue;
  std::vector<ArrayRequest> requests;
  std::set<std::string> cancelled;
  std::size_t max_array_size = 1000;
  bool silent = false;
  std::vector<OutOfService> drained;     ///< no task runs unless this is empty
  std::string refusal;                   ///< answer to the next submissions; empty: they are accepted
  std::function<void(TaskReport&)> run;  ///< runs one waiting task; empty: grade()

  Answer<std::size_t> largest_array() override { return max_array_size; }

  Answer<Done> submit(const ArrayRequest& request) override {
    if (silent) return Unexpected{Failure{Trouble::unreachable, "Unable to contact slurm controller"}};
    if (!refusal.empty()) return Unexpected{Failure{Trouble::refused, refusal}};
    requests.push_back(request);
    for (std::size_t i = 0; i < request.tasks; ++i)
      queue.push_back({.job = std::to_string(requests.size()),
                       .array = request.array,
                       .index = i,
                       .life = Life::waiting,
                       .state = "PENDING",
                       .reason = "Priority"});
    return Done{};
  }

  Answer<std::vector<TaskReport>> tasks() override {
    if (silent) return Unexpected{Failure{Trouble::unreachable, "Unable to contact slurm controller"}};
    return queue;
  }

  std::vector<OutOfService> out_of_service() override { return drained; }

  Answer<Done> cancel(const std::set<std::string>& jobs) override {
    cancelled = jobs;
    return Done{};
  }

  void moment() {
    if (!drained.empty()) return;
    for (TaskReport& task : queue) {
      if (task.life != Life::waiting) continue;
      if (run)
        run(task);
      else
        grade(task);
    }
  }

  void grade(TaskReport& task) {
    log(task, "graded");
    const Items& items = items_of(task);
    results.insert(items.begin(), items.end());
    end(task, "COMPLETED");
  }
  static void end(TaskReport& task, const std::string& state) {
    task.life = Life::ended;
    task.state = state;
    task.node = "n1";
  }
  void log(const TaskReport& task, const std::string& text) const { leave(task, ".log", text); }
  void leave(const TaskReport& task, const std::string& ending, const std::string& text) const {
    std::ofstream(arrays_.folder(task.array) / (std::to_string(task.index) + ending)) << text << "\n";
  }
  const Items& items_of(const TaskReport& task) const { return arrays_.items({task.array, task.index}); }

 private:
  ArrayFolders& arrays_;
};

/// One run of the executor over items 0 … count - 1.
struct Run {
  explicit Run(std::size_t count) : arrays(*ArrayFolders::open(folder.path() / "slurm", {"ab12", count})) {
    for (std::size_t i = 0; i < count; ++i) work.items.push_back(i);
    work.finished = [this](std::size_t item) { return cluster.results.contains(item); };
    work.give_up = [this](std::size_t item, Diagnostic why) {
      given_up[item] = std::move(why);
      return std::optional<Diagnostic>();
    };
    options.polls_until_lost = 2;
    options.stop = &stop;
    options.wait = [this] {
      if (++moments > 1000) throw std::runtime_error("the executor does not end");
      if (each_moment) each_moment();
      cluster.moment();
    };
    options.note = [this](const std::string& text) { notes.push_back(text); };
  }

  std::optional<Diagnostic> execute() { return slurm::execute(work, arrays, cluster, options); }
  bool all_graded() const { return cluster.results.size() == work.items.size(); }

  TemporaryFolder folder{"executor"};
  ArrayFolders arrays;
  FakeCluster cluster{arrays};
  std::map<std::size_t, Diagnostic> given_up;
  std::vector<std::string> notes;
  std::atomic<bool> stop{false};
  std::size_t moments = 0;
  std::function<void()> each_moment;
  Work work;
  ExecutorOptions options;
};

}  // namespace

TEST_CASE("all items are graded by one array, and nothing is left to cancel") {
  Run run(12);
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  REQUIRE(run.cluster.requests.size() == 1);
  CHECK(run.cluster.requests.front().tasks == 3);  // of 5, 5 and 2
  CHECK(run.cluster.cancelled.empty());
}

TEST_CASE("if nothing runs because nodes are out of service, they are reported with the reasons, once") {
  Run run(12);
  run.cluster.drained = {{"n[1,3]", "Duplicate jobid"}, {"n2", "Not responding"}};
  run.each_moment = [&] {
    if (run.moments == 40) run.cluster.drained.clear();
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  REQUIRE(run.notes.size() == 1);
  CHECK_THAT(run.notes[0], contains("n[1,3] (Duplicate jobid), n2 (Not responding)") && contains("resume"));
}

TEST_CASE("tasks that wait for a short time do not count as a stalled queue") {
  Run run(12);
  run.cluster.drained = {{"n1", "Not responding"}};
  run.each_moment = [&] {
    if (run.moments == 3) run.cluster.drained.clear();
  };
  CHECK_FALSE(run.execute());
  CHECK(run.notes.empty());
}

TEST_CASE("arrays stay within what the site allows") {
  Run run(100);
  run.cluster.max_array_size = 8;
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  CHECK(run.cluster.requests.size() == 3);
  for (const ArrayRequest& request : run.cluster.requests) CHECK(request.tasks <= 8);
}

TEST_CASE("nothing to do submits nothing") {
  Run run(0);
  CHECK_FALSE(run.execute());
  CHECK(run.cluster.requests.empty());
}

TEST_CASE("only unfinished items of a lost task are submitted again") {
  Run run(20);
  bool lost = false;
  run.cluster.run = [&](TaskReport& task) {
    if (task.index != 2 || lost) return run.cluster.grade(task);
    lost = true;
    run.cluster.log(task, "Killed");
    run.cluster.results.insert(run.cluster.items_of(task).front());
    FakeCluster::end(task, "NODE_FAIL");
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  REQUIRE(run.cluster.requests.size() == 2);
  CHECK(run.arrays.items({2, 0}) == Items{11});
  CHECK(run.cluster.requests.back().tasks == 4);
}

TEST_CASE("only the item that crashes its grader is given up") {
  Run run(20);
  run.cluster.run = [&](TaskReport& task) {
    for (const std::size_t item : run.cluster.items_of(task)) {
      run.cluster.log(task, "terminate called");
      if (item == 11) return FakeCluster::end(task, "OUT_OF_MEMORY");
      run.cluster.results.insert(item);
    }
    FakeCluster::end(task, "COMPLETED");
  };
  CHECK_FALSE(run.execute());
  CHECK(run.cluster.results.size() == 19);
  REQUIRE(run.given_up.size() == 1);
  const Diagnostic& why = run.given_up.at(11);
  CHECK(why.code == "WG-G50");
  CHECK_THAT(why.what, contains("4 attempts") && contains("OUT_OF_MEMORY on n1"));
  CHECK_THAT(why.likely_cause, contains("terminate called"));
}

TEST_CASE("a node that cannot grade is excluded, and this does not count as an attempt") {
  Run run(30);
  run.options.attempts = 1;
  run.cluster.run = [&](TaskReport& task) {
    const bool excluded = run.cluster.requests[task.array - 1].excluded_nodes.contains("bad");
    if (excluded || task.index % 2 == 0) return run.cluster.grade(task);
    run.cluster.log(task, "exit status 75");
    run.cluster.leave(task, ".unhealthy", "bad");
    FakeCluster::end(task, "FAILED");
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  CHECK(run.given_up.empty());
  CHECK(run.cluster.requests.size() == 2);
  CHECK(run.notes == std::vector<std::string>{"node bad cannot grade; other nodes take its work"});
}

TEST_CASE("a node that does not see the folder is excluded too") {
  Run run(30);
  run.options.attempts = 1;
  run.cluster.run = [&](TaskReport& task) {
    const bool excluded = run.cluster.requests[task.array - 1].excluded_nodes.contains("n1");
    if (excluded || task.index % 2 == 0) return run.cluster.grade(task);
    FakeCluster::end(task, "FAILED");  // and has no log
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
}

TEST_CASE("if no node is left, one message is given instead of a fault for every submission") {
  Run run(30);
  run.cluster.run = [&](TaskReport& task) {
    run.cluster.log(task, "exit status 75");
    run.cluster.leave(task, ".unhealthy", "only");
    FakeCluster::end(task, "FAILED");
    run.cluster.refusal = "Requested node configuration is not available";
  };
  const auto problem = run.execute();
  REQUIRE(problem);
  CHECK(problem->code == "WG-G52");
  CHECK_THAT(problem->what, contains("only") && contains("not available"));
  CHECK(run.given_up.empty());
}

TEST_CASE("a folder that no node sees ends the run with one message") {
  Run run(30);
  run.cluster.run = [](TaskReport& task) { FakeCluster::end(task, "FAILED"); };
  const auto problem = run.execute();
  REQUIRE(problem);
  CHECK(problem->code == "WG-G51");
  CHECK_THAT(problem->what, contains("array-0001") && contains("FAILED on n1"));
  CHECK(run.given_up.empty());
}

TEST_CASE("a controller that is unreachable for a while is waited for, and results still count") {
  Run run(12);
  run.each_moment = [&] { run.cluster.silent = run.moments % 5 != 0; };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
}

TEST_CASE("a controller that stays unreachable ends the run, with advice how to continue") {
  Run run(12);
  run.options.silent_polls = 10;
  run.cluster.drained = {{"n1", "Not responding"}};  // it answers once, and nothing runs
  run.each_moment = [&] { run.cluster.silent = true; };
  const auto problem = run.execute();
  REQUIRE(problem);
  CHECK(problem->code == "WG-G49");
  CHECK_THAT(problem->next_step, contains("--resume"));
  CHECK(run.moments >= 9);
  CHECK(run.moments < 12);
}

TEST_CASE("a controller that never answered is not waited for as long") {
  Run run(12);
  run.cluster.silent = true;
  run.options.first_silent_polls = 3;
  const auto problem = run.execute();
  REQUIRE(problem);
  CHECK(problem->code == "WG-G49");
  CHECK(run.moments == 2);
}

TEST_CASE("a job that Slurm refuses ends the run with advice") {
  Run run(12);
  run.cluster.refusal = "Invalid account or account/partition combination specified";
  const auto problem = run.execute();
  REQUIRE(problem);
  CHECK(problem->code == "WG-G47");
  CHECK_THAT(problem->what, contains("Invalid account"));
  CHECK_FALSE(std::filesystem::exists(run.arrays.folder(1)));
}

TEST_CASE("a limit on submitted jobs does not end the run while its own jobs are in the queue") {
  Run run(100);
  run.cluster.max_array_size = 8;
  run.each_moment = [&] { run.cluster.refusal = ""; };
  run.cluster.run = [&](TaskReport& task) {
    if (run.moments % 3 == 0) run.cluster.grade(task);
  };
  const auto submit_limit = [&] { run.cluster.refusal = "Job violates accounting/QOS policy"; };
  run.options.status = [&](std::size_t, const std::string&) { submit_limit(); };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
}

TEST_CASE("Ctrl-C cancels queued jobs, --detach leaves them") {
  for (const bool detach : {false, true}) {
    Run run(12);
    run.options.detach = detach;
    run.cluster.run = [&](TaskReport&) { run.stop = true; };
    CHECK_FALSE(run.execute());
    CHECK(run.cluster.cancelled == (detach ? std::set<std::string>{} : std::set<std::string>{"1"}));
  }
}

TEST_CASE("a later run waits for tasks of an earlier one instead of submitting them again") {
  Run run(12);
  const std::size_t earlier = *run.arrays.add({{0, 1, 2, 3}, {4, 5, 6, 7}});
  run.cluster.requests.push_back({.array = earlier});
  run.cluster.queue.push_back(
      {.job = "1", .array = earlier, .index = 1, .life = Life::running, .state = "RUNNING"});
  run.each_moment = [&] {
    if (run.moments == 3) run.cluster.queue.front().life = Life::waiting;  // so that it runs in the next wait
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  REQUIRE(run.cluster.requests.size() == 2);
  CHECK(run.arrays.items({2, 0}) == Items{0, 1, 2, 3, 8});
}

TEST_CASE("tasks of another manifest in the same folder are cancelled") {
  Run run(12);
  run.cluster.requests.push_back({.array = 7});
  run.cluster.queue.push_back({.job = "old", .array = 7, .life = Life::running, .state = "RUNNING"});
  run.each_moment = [&] {
    if (run.moments == 1) CHECK(run.cluster.cancelled == std::set<std::string>{"old"});
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
}

TEST_CASE(
    "items of a task that Slurm holds for ever go to another task, and the held task is cancelled at the "
    "end") {
  Run run(5);
  run.cluster.run = [&](TaskReport& task) {
    if (task.array > 1) return run.cluster.grade(task);
    run.cluster.log(task, "");
    task.life = Life::stuck;
  };
  CHECK_FALSE(run.execute());
  CHECK(run.all_graded());
  CHECK(run.cluster.cancelled == std::set<std::string>{"1"});
}

TEST_CASE(
    "every item is graded despite lost tasks, and none is given up because of nodes or the controller") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto one_in = [&](unsigned n) { return random() % n == 0; };
    Run run(1 + random() % 60);
    run.options.attempts = 1000;
    run.cluster.max_array_size = 1 + random() % 10;
    run.each_moment = [&] {
      run.cluster.silent = one_in(5);
      if (one_in(20)) run.cluster.queue.clear();  // the controller lost its state
    };
    run.cluster.run = [&](TaskReport& task) {
      run.cluster.log(task, "started");
      for (const std::size_t item : run.cluster.items_of(task)) {
        if (one_in(20)) return FakeCluster::end(task, one_in(2) ? "NODE_FAIL" : "FAILED");
        if (one_in(20)) return;  // requeued: starts from the beginning
        run.cluster.results.insert(item);
      }
      FakeCluster::end(task, "COMPLETED");
    };
    CHECK_FALSE(run.execute());
    CHECK(run.all_graded());
    CHECK(run.given_up.empty());
  }
}

}  // namespace executor_test
