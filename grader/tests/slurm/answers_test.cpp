#include "slurm/answers.hpp"

#include "catch.hpp"

namespace answers_test {

using namespace grader::slurm;
using Life = TaskReport::Life;

TEST_CASE("the number of a submitted array is found among warnings") {
  CHECK(read_job_id("12\n") == "12");
  CHECK(read_job_id("12;cluster\n") == "12");
  CHECK(read_job_id("sbatch: Warning: can't run 1 processes\n4711\n") == "4711");
  CHECK_FALSE(read_job_id("Submitted batch job 12\n"));
  CHECK_FALSE(read_job_id(""));
}

TEST_CASE("tasks of this run are found among other entries of the queue") {
  const auto tasks = read_tasks(
      "slurm_load_jobs: warning\n"
      "10|0|RUNNING|n3|None|warpgrade-ab-1\n"
      "10|1|PENDING||Priority|warpgrade-ab-1\n"
      "11|7|COMPLETED|n2|None|warpgrade-ab-22\n"
      "12|0|RUNNING|n3|None|warpgrade-cd-1\n"
      "13|N/A|RUNNING|n3|None|warpgrade-ab-1\n"
      "14|0|RUNNING|n3|None|warpgrade-ab-x\n"
      "15|0|RUNNING|n3|None|my job | with bars\n"
      "16|0\n",
      "warpgrade-ab-");
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].job == "10");
  CHECK(tasks[0].array == 1);
  CHECK(tasks[0].node == "n3");
  CHECK(tasks[0].life == Life::running);
  CHECK(tasks[1].index == 1);
  CHECK(tasks[1].life == Life::waiting);
  CHECK(tasks[1].reason == "Priority");
  CHECK(tasks[2].array == 22);
  CHECK(tasks[2].life == Life::ended);
}

TEST_CASE("states show whether a task will continue") {
  const auto life = [](const std::string& state, const std::string& reason = "None") {
    const auto tasks = read_tasks("1|0|" + state + "|n1|" + reason + "|w-1", "w-");
    REQUIRE(tasks.size() == 1);
    return tasks.front().life;
  };
  for (const char* state :
       {"COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "CANCELLED", "PREEMPTED"})
    CHECK(life(state) == Life::ended);
  CHECK(life("COMPLETING") == Life::stuck);
  CHECK(life("PENDING", "launch failed requeued held") == Life::stuck);
  CHECK(life("PENDING", "launch_failed_requeued_held") == Life::stuck);
  CHECK(life("SPECIAL_EXIT") == Life::stuck);
  CHECK(life("PENDING", "JobHeldUser") == Life::waiting);  // held by a user on purpose
  CHECK(life("CONFIGURING") == Life::waiting);
  CHECK(life("SUSPENDED") == Life::running);
  CHECK(life("INVENTED_LATER") == Life::running);
}

TEST_CASE("MaxArraySize is read from the configuration, with Slurm's default") {
  CHECK(read_max_array_size("KillWait = 30 sec\nMaxArraySize            = 10001\n") == 10001);
  CHECK(read_max_array_size("MaxArraySize = 0") == 0);
  CHECK(read_max_array_size("MaxArraySize = many") == kDefaultMaxArraySize);
  CHECK(read_max_array_size("") == kDefaultMaxArraySize);
}

TEST_CASE("an unreachable controller is distinguished from a refusal") {
  CHECK(trouble_of("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
                   "failure)") == Trouble::unreachable);
  CHECK(trouble_of("slurm_load_jobs error: Zero Bytes were transmitted or received") == Trouble::unreachable);
  CHECK(trouble_of("squeue: error: Socket timed out on send/recv operation") == Trouble::unreachable);
  CHECK(trouble_of("sbatch: error: invalid partition specified: x") == Trouble::refused);
  CHECK(trouble_of("") == Trouble::refused);
}

TEST_CASE("messages contain Slurm's own sentence") {
  CHECK(complaint_of(
            "sbatch: warning: x\nsbatch: error: invalid partition specified: gpu\nsbatch: error: Batch job "
            "submission failed: Invalid partition name specified\n") == "invalid partition specified: gpu");
  CHECK(complaint_of("slurm_load_jobs error: Invalid job id specified\n") == "Invalid job id specified");
  CHECK(complaint_of("something else\nmore") == "something else");
  CHECK(complaint_of("").empty());
}

TEST_CASE("nodes out of service are read with any text as their reason") {
  const auto all = read_out_of_service("n[1,3]|Duplicate jobid\nn2|fan | power\na warning\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].nodes == "n[1,3]");
  CHECK(all[0].reason == "Duplicate jobid");
  CHECK(all[1].reason == "fan | power");
  CHECK(read_out_of_service("").empty());
}

}  // namespace answers_test
