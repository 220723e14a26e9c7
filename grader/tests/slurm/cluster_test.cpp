// `warpgrade grade --executor slurm` on a real Slurm that these tests start themselves. If Slurm's programs
// are not installed, the tests print a note and pass; grader/setup.sh --slurm installs them.
#include "slurm/cluster.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/programs.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"
#include "slurm/array_folders.hpp"
#include "slurm/job_script.hpp"
#include "slurm/slurm_scheduler.hpp"

namespace cluster_test {

using namespace testing;
using namespace std::chrono_literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

bool no_slurm() {
  const auto missing = Cluster::missing_programs();
  if (!missing.empty())
    WARN("not tested, Slurm is not installed (grader/setup.sh --slurm): " << fmt::format(
             "{}", fmt::join(missing, ", ")));
  return !missing.empty();
}

/// Submissions to lab 00-warm-up: quick ones, of every kind that grading treats differently.
class WarmUpClass {
 public:
  explicit WarmUpClass(unsigned count) {
    for (unsigned i = 0; i < count; ++i) add(i);
  }

  std::vector<std::string> command(const fs::path& out, std::vector<std::string> more) const {
    std::vector<std::string> words = {"grade", submissions().string(), "--out",    out.string(),
                                      "--lab", "00-warm-up",           "--device", "virtual"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Ended grade_here() const { return warpgrade(command(here(), {})); }

  fs::path here() const { return folder_.path() / "here"; }
  /// A name with characters that are special in a shell and in Slurm's patterns.
  fs::path there() const { return folder_.path() / "on 'the' \"cluster\" $(x) %j \\n"; }
  fs::path submissions() const { return folder_.path() / "submissions"; }

 private:
  void add(unsigned i) const {
    const fs::path kit = source_folder() / "solutions" / "00-warm-up";
    const fs::path file = submissions() / fmt::format("s{:03}", i) / "saxpy.cu";
    const std::string mark = fmt::format("// {}\n", i);
    switch (i % 6) {
      case 0:
        return write(file, text_of(kit / "saxpy.cu") + mark);
      case 1:
        return write(file, text_of(kit / "wrong" / "no_guard.cu"));  // the same file from several students
      case 2:
        return write(file, "int main( {" + mark);
      case 3:
        return write(file.parent_path() / "notes.txt", mark);  // the file was forgotten
      case 4:
        return write(file, "");
      default:
        return write(file, text_of(kit / "wrong" / "factor_lost.cu") + (i % 12 == 5 ? mark : ""));
    }
  }

  grader::TemporaryFolder folder_{"class"};
};

/// All results, without the fields that can differ between two runs.
std::map<std::string, std::string> results_in(const fs::path& out) {
  std::map<std::string, std::string> results;
  for (const auto& entry : fs::recursive_directory_iterator(out / "results")) {
    if (!entry.is_regular_file()) continue;
    Json result = Json::parse(text_of(entry.path()));
    result.erase("provenance");
    results[entry.path().lexically_relative(out).string()] = result.dump();
  }
  for (const char* table : {"summary.json", "gradebook.csv"}) results[table] = text_of(out / table);
  return results;
}

void check_same(const WarmUpClass& a_class) {
  const auto expected = results_in(a_class.here()), got = results_in(a_class.there());
  REQUIRE(got.size() == expected.size());
  for (const auto& [file, text] : expected) {
    INFO(file);
    CHECK(got.at(file) == text);
  }
}

std::vector<std::string> on_slurm(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"--executor", "slurm", "--slurm-look", "0.5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

template <class Condition>
bool soon(const Condition& condition, std::chrono::seconds limit = 60s) {
  for (const auto end = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

bool any_result(const fs::path& out) { return fs::exists(out / "results") && !fs::is_empty(out / "results"); }

bool kill_a_grader(const Cluster& cluster, std::mt19937& random) {
  const auto graders = cluster.task_processes("grade-items");
  return !graders.empty() && ::kill(graders[random() % graders.size()], SIGKILL) == 0;
}

/// Kills random processes until it is stopped; then restarts all daemons.
class Chaos {
 public:
  Chaos(Cluster& cluster, unsigned nodes, unsigned seed) : cluster_(cluster), nodes_(nodes), random_(seed) {
    thread_ = std::thread([this] {
      while (!stop_) strike();
      for (unsigned node = 1; node <= nodes_; ++node) cluster_.return_to_service(node);
    });
  }
  ~Chaos() {
    stop_ = true;
    thread_.join();
    std::cerr << fmt::format("killed: {} graders, {} slurmd, {} nodes, {} slurmctld\n", graders, daemons,
                             crashes, controllers);
  }

  unsigned graders = 0, daemons = 0, crashes = 0, controllers = 0;

 private:
  void strike() {
    pause(500ms, 4000ms);
    for (unsigned node = 1; node <= nodes_; ++node) cluster_.return_to_service(node);
    const unsigned node = 1 + random_() % nodes_;
    switch (random_() % 6) {
      case 0:
        cluster_.kill_daemon(node), ++daemons;
        pause(1000ms, 20000ms);  // long enough, at times, for the controller to give the node up
        return cluster_.start_daemon(node);
      case 1:
        cluster_.crash(node), ++crashes;
        pause(1000ms, 20000ms);
        return cluster_.start_daemon(node);
      case 2:
        cluster_.kill_controller(), ++controllers;
        pause(500ms, 6000ms);
        return cluster_.start_controller();
      default:
        graders += kill_a_grader(cluster_, random_) ? 1 : 0;
    }
  }
  void pause(std::chrono::milliseconds least, std::chrono::milliseconds most) {
    const auto span = static_cast<unsigned>((most - least).count());
    const auto end = std::chrono::steady_clock::now() + least + std::chrono::milliseconds(random_() % span);
    while (!stop_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(20ms);
  }

  Cluster& cluster_;
  const unsigned nodes_;
  std::mt19937 random_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE(
    "a class graded on three nodes, of which one loses its daemon and one a grader, has the results of one "
    "machine") {
  if (no_slurm()) return;
  const WarmUpClass a_class(8);
  const Ended here = a_class.grade_here();
  INFO(here.err);
  REQUIRE(here.code == 0);

  Cluster cluster(3);
  auto run = std::async(std::launch::async, [&] {
    return warpgrade(a_class.command(a_class.there(), on_slurm({"--slurm-chunk", "2"})),
                     {.environment = cluster.environment()});
  });
  std::mt19937 random(1);
  CHECK(soon([&] { return kill_a_grader(cluster, random); }));
  CHECK(soon([&] { return any_result(a_class.there()); }));
  cluster.kill_daemon(2);
  const Ended there = run.get();
  INFO(there.err);
  REQUIRE(there.code == 0);
  check_same(a_class);
  CHECK(fs::is_directory(a_class.there() / "slurm" / "array-0001"));
}

TEST_CASE("Ctrl-C cancels the jobs, and a later run finishes the work", "[slow]") {
  if (no_slurm()) return;
  const WarmUpClass a_class(6);
  REQUIRE(a_class.grade_here().code == 0);
  Cluster cluster(2);
  const auto queue_is_empty = [&] {
    return run({grader::find_program("squeue"), "--noheader"}, {.environment = cluster.environment()})
        .out.empty();
  };

  const Ended first = warpgrade(a_class.command(a_class.there(), on_slurm({"--slurm-chunk", "1"})),
                                {.environment = cluster.environment(),
                                 .interrupt_when = a_class.there() / "slurm" / "array-0001" / "0.log"});
  INFO(first.err);
  CHECK(first.code == 130);
  CHECK_THAT(first.err, contains("continue with --resume"));
  CHECK(soon(queue_is_empty));

  const Ended second =
      warpgrade(a_class.command(a_class.there(), on_slurm({"--resume", "--slurm-chunk", "1", "--detach"})),
                {.environment = cluster.environment(),
                 .interrupt_when = a_class.there() / "slurm" / "array-0002" / "0.log"});
  INFO(second.err);
  CHECK(second.code == 130);
  CHECK_THAT(second.err, contains("the jobs continue"));
  CHECK_FALSE(queue_is_empty());

  const Ended last = warpgrade(a_class.command(a_class.there(), on_slurm({"--resume"})),
                               {.environment = cluster.environment()});
  INFO(last.err);
  CHECK(last.code == 0);
  CHECK_FALSE(fs::exists(a_class.there() / "slurm" / "array-0003"));  // the detached jobs did it
  check_same(a_class);
}

TEST_CASE("a run that waits for drained nodes reports them and continues when they are back") {
  if (no_slurm()) return;
  const WarmUpClass a_class(1);
  Cluster cluster(1);
  cluster.take_out_of_service(1, "a new fan");
  auto run = std::async(std::launch::async, [&] {
    return warpgrade(a_class.command(a_class.there(), on_slurm()), {.environment = cluster.environment()});
  });
  CHECK(soon([&] { return fs::exists(a_class.there() / "slurm" / "array-0001"); }));
  std::this_thread::sleep_for(5s);  // ten polls
  cluster.return_to_service(1);
  const Ended ended = run.get();
  INFO(ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.err, contains("out of service: n1 (a new fan)"));
}

TEST_CASE("a refusal by Slurm is reported with Slurm's message") {
  if (no_slurm()) return;
  const WarmUpClass a_class(1);
  Cluster cluster(1);
  const Ended ended =
      warpgrade(a_class.command(a_class.there(), on_slurm({"--slurm-option", "partition=nope"})),
                {.environment = cluster.environment()});
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("WG-G47") && contains("nope") && contains("--slurm-option"));
}

TEST_CASE("a wrong option for Slurm is a usage error before anything is made") {
  const WarmUpClass a_class(1);
  const Ended ended =
      warpgrade(a_class.command(a_class.there(), on_slurm({"--slurm-option", "output=/etc/motd"})));
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("`output` is not an option") && !contains("WG-G"));
  CHECK_FALSE(fs::exists(a_class.there()));
}

TEST_CASE("a machine without Slurm gives a diagnostic") {
  const WarmUpClass a_class(1);
  const grader::TemporaryFolder tools("tools");
  fs::permissions(tools.path(), fs::perms(0755));  // the sandbox's user must be able to enter
  for (const char* name : {"g++", "bwrap", "nvcc", "clang++", "clang"})
    if (const auto program = grader::find_program(name); !program.empty())
      fs::create_symlink(program, tools.path() / name);
  const Ended ended = warpgrade(a_class.command(a_class.there(), on_slurm()),
                                {.environment = {{"PATH", tools.path().string()}}});
  INFO(ended.err);
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("WG-G45") && contains("sbatch"));
}

TEST_CASE("a task is granted a GPU, and a node's report that it cannot grade arrives") {
  if (no_slurm()) return;
  using namespace grader::slurm;
  Cluster cluster(1);
  for (const auto& [name, value] : cluster.environment()) ::setenv(name.c_str(), value.c_str(), 1);
  const grader::TemporaryFolder folder("gpu");
  write(folder.path() / "job.sh", job_script());
  auto arrays = ArrayFolders::open(folder.path() / "slurm", {"ab12", 1});
  REQUIRE(arrays);
  const std::size_t array = *arrays->add({{0}});
  const auto slurm =
      open_slurm({.run = "warpgrade-test-",
                  .needs_gpu = true,
                  .script = folder.path() / "job.sh",
                  .arguments = {"PATH=/usr/bin:/bin", "/bin/sh", "-c",
                                "echo \"granted: <$CUDA_VISIBLE_DEVICES>\"; exit 75", "grader"}});
  REQUIRE(slurm);
  CHECK(*(*slurm)->largest_array() == 1001);
  REQUIRE((*slurm)->submit({.array = array, .folder = arrays->folder(array), .tasks = 1}));
  CHECK(soon([&] {
    const auto tasks = (*slurm)->tasks();
    return tasks && tasks->size() == 1 && tasks->front().life == TaskReport::Life::ended;
  }));
  CHECK_THAT(arrays->log_tail({array, 0}), contains("granted: <0>"));
  CHECK(arrays->unhealthy_node({array, 0}) == "n1");
  ::unsetenv("SLURM_CONF");
}

TEST_CASE("a class on 3 nodes, with kills at random points, has exactly the results of one machine",
          "[nightly]") {
  if (no_slurm()) return;
  const char* wanted = std::getenv("WARPGRADE_TEST_SUBMISSIONS");  // a whole class takes some ten minutes
  const WarmUpClass a_class(wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 20);
  REQUIRE(a_class.grade_here().code == 0);
  Cluster cluster(3, 20);
  Ended ended;
  {
    const Chaos chaos(cluster, 3, 20261122);
    // The executor cannot know that the graders are killed at random and not by the submissions.
    std::vector<std::string> more = {"--slurm-attempts", "30"};
    // The executor itself is also killed occasionally.
    for (int session = 0; session < 5; ++session) {
      std::vector<std::string> command = {"/usr/bin/timeout", "--signal=KILL", session < 4 ? "25" : "850",
                                          std::string(WARPGRADE_BINARY_DIR) + "/bin/warpgrade"};
      const auto words = a_class.command(a_class.there(), on_slurm(more));
      command.insert(command.end(), words.begin(), words.end());
      ended = run(command, {.environment = cluster.environment()});
      if (ended.code == 0) break;
      if (session == 0) more.emplace_back("--resume");
    }
  }
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  check_same(a_class);
}

}  // namespace cluster_test
