#include "slurm/job_script.hpp"

#include <cstdlib>
#include <fstream>

#include "base/files.hpp"
#include "catch.hpp"
#include "sandbox/box.hpp"

namespace job_script_test {

using namespace grader;
using testing::contains;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
std::string text_of(const fs::path& file) { return read_file(file, 1U << 20U).value(); }

/// A task as Slurm starts it, in a folder whose name has special characters.
struct Task {
  TemporaryFolder folder{"job"};
  fs::path array = folder.path() / "a b'c\"$(touch PWNED)%j\\\n-x";
  fs::path script = folder.path() / "job.sh";
  std::vector<std::pair<std::string, std::string>> variables = {
      {"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_JOB_ID", "42"}, {"SLURMD_NODENAME", "n3"}, {"SECRET", "token"}};

  Task() {
    fs::create_directory(array);
    write(array / "tasks", "ab12\n0-3\n4,7\n");
    write(script, slurm::job_script());
  }

  int run(const std::string& grader) const {
    const BoxJob job{.command = {"/bin/sh", script, array, "PATH=/usr/bin:/bin", "ODD=a b'c", "/bin/sh", "-c",
                                 grader, "grader"},
                     .environment = variables,
                     .working_folder = folder.path()};
    const auto result = Sandbox::without_isolation().run(job);
    REQUIRE(result);
    CHECK(result->end == BoxResult::End::exited);
    return result->code;
  }
  std::string log() const { return text_of(array / "1.log"); }
};

}  // namespace

TEST_CASE("a task grades the items of its line and logs into the array's folder") {
  Task task;
  task.variables.emplace_back("SLURM_CPUS_PER_TASK", "3");
  CHECK(task.run(R"(echo "graded with: $*"; exit 0)") == 0);
  CHECK_THAT(task.log(),
             contains("node n3") && contains("job 42") && contains("graded with: --jobs 3 --items 4,7"));
  CHECK_FALSE(fs::exists(task.folder.path() / "PWNED"));
}

TEST_CASE("a grader's environment contains the given variables and those that Slurm grants, nothing else") {
  Task task;
  CHECK(task.run("env; exit 0") == 0);
  CHECK_THAT(task.log(), contains("ODD=a b'c") && !contains("SECRET") && !contains("SLURM_JOB_ID=") &&
                             !contains("CUDA_VISIBLE_DEVICES"));
  task.variables.emplace_back("CUDA_VISIBLE_DEVICES", "1");
  task.variables.emplace_back("TMPDIR", "/tmp/with blank");
  CHECK(task.run("env; exit 0") == 0);
  CHECK_THAT(task.log(), contains("CUDA_VISIBLE_DEVICES=1") && contains("TMPDIR=/tmp/with blank"));
}

TEST_CASE("a second start of a task appends to its log") {
  Task task;
  CHECK(task.run("echo first; exit 9") == 9);
  task.variables.emplace_back("SLURM_RESTART_COUNT", "1");
  CHECK(task.run("echo second; exit 0") == 0);
  CHECK_THAT(task.log(), contains("first") && contains("exit status 9") && contains("start 1 of job 42"));
}

TEST_CASE("a node that cannot grade is named in the array's folder") {
  const Task task;
  CHECK(task.run("exit 75") == slurm::kUnhealthyNode);
  CHECK(text_of(task.array / "1.unhealthy") == "n3\n");
}

TEST_CASE("a task without a list or a folder ends by itself") {
  const Task task;
  fs::remove(task.array / "tasks");
  CHECK(task.run("echo graded") == 65);
  fs::remove_all(task.array);
  CHECK(task.run("echo graded") == 66);
}

TEST_CASE("graders on nodes get the compiler's location and nothing else") {
  ::setenv("WARPGRADE_NVCC", "/opt/cuda 13/bin/nvcc", 1);
  ::setenv("TOKEN_OF_SOMEBODY", "secret", 1);
  const auto variables = slurm::grader_environment();
  CHECK(std::find(variables.begin(), variables.end(), "WARPGRADE_NVCC=/opt/cuda 13/bin/nvcc") !=
        variables.end());
  for (const std::string& one : variables) CHECK_THAT(one, !contains("TOKEN"));
  ::unsetenv("WARPGRADE_NVCC");
  ::unsetenv("TOKEN_OF_SOMEBODY");
}

}  // namespace job_script_test
