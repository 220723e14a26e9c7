#include "slurm/commands.hpp"

#include <algorithm>

#include "catch.hpp"

namespace commands_test {

using namespace grader::slurm;

namespace {

bool has(const Command& command, const std::string& word) {
  return std::find(command.begin(), command.end(), word) != command.end();
}

ArrayJob job() {
  return {.name = "warpgrade-x-1",
          .tasks = 40,
          .script = "/a b/job.sh",
          .arguments = {"/a b/array-0001", "x'\"$(y)"}};
}

}  // namespace

TEST_CASE("sbatch gets the array, and the script's arguments come last and unchanged") {
  const Command command = sbatch(job());
  CHECK(command.front() == "sbatch");
  CHECK(has(command, "--array=0-39"));
  CHECK(has(command, "--job-name=warpgrade-x-1"));
  CHECK(has(command, "--requeue"));
  CHECK_FALSE(has(command, "--gres=gpu:1"));
  const Command tail(command.end() - 3, command.end());
  CHECK(tail == Command{"/a b/job.sh", "/a b/array-0001", "x'\"$(y)"});
}

TEST_CASE("a task gets one GPU unless the site's options name others") {
  ArrayJob gpu = job();
  gpu.needs_gpu = true;
  CHECK(has(sbatch(gpu), "--gres=gpu:1"));
  gpu.site = {{"gres", "gpu:h100:1"}, {"partition", "big"}};
  const Command command = sbatch(gpu);
  CHECK(has(command, "--gres=gpu:h100:1"));
  CHECK(has(command, "--partition=big"));
  CHECK_FALSE(has(command, "--gres=gpu:1"));
}

TEST_CASE("excluded nodes join those that the site excludes") {
  ArrayJob one = job();
  one.excluded_nodes = {"n1", "n3"};
  CHECK(has(sbatch(one), "--exclude=n1,n3"));
  one.site = {{"exclude", "login"}};
  CHECK(has(sbatch(one), "--exclude=login,n1,n3"));
}

TEST_CASE("squeue and scancel name the user and the jobs") {
  CHECK(has(squeue(1000), "--user=1000"));
  CHECK(has(squeue(1000), "--states=all"));
  CHECK(scancel({"12", "13_4"}) == Command{"scancel", "12", "13_4"});
}

TEST_CASE("nodes out of service are queried in the site's partition, or in all") {
  CHECK_FALSE(has(sinfo_reasons({}), "--partition=gpu"));
  CHECK(has(sinfo_reasons({{"partition", "gpu"}}), "--partition=gpu"));
}

}  // namespace commands_test
