// A real Slurm on this machine, for a test: munged, slurmctld and a slurmd for each node, started as the
// current user in a temporary folder on free ports, without systemd and cgroups. Whatever becomes of the
// test, no process of it survives (keeper.cpp). The nodes have one CPU and one GPU each; the GPUs are not
// real.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/files.hpp"

namespace testing {

class Cluster {
 public:
  /// The programs that are not installed here; without all of them no cluster can be started.
  static std::vector<std::string> missing_programs();

  /// Returns when all nodes are ready; throws std::runtime_error with the logs' ends when they do not get so.
  explicit Cluster(unsigned nodes, unsigned max_array_size = 1001);
  ~Cluster();

  /// What Slurm's tools need to find it.
  std::map<std::string, std::string> environment() const;

  // Nodes count from 1. Nothing of this waits for the effect.
  void kill_daemon(unsigned node);  ///< slurmd alone, with SIGKILL; tasks go on as orphans
  void crash(unsigned node);        ///< with all that runs on it, as if its power failed
  void start_daemon(unsigned node);
  void kill_controller();
  void start_controller();  ///< with the state that it had
  // As an administrator does. The controller takes a node out of service itself ("Duplicate jobid") when it
  // comes back with a job that the controller had given up.
  void take_out_of_service(unsigned node, const std::string& reason);
  void return_to_service(unsigned node);

  /// Processes of the cluster and its tasks whose command line holds `word`.
  std::vector<pid_t> task_processes(const std::string& word) const;

 private:
  class Keeper;

  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  std::string name(unsigned node) const { return "n" + std::to_string(node); }
  void configure(unsigned nodes, unsigned max_array_size);
  void start_munge();
  void wait_until_ready(unsigned nodes) const;

  grader::TemporaryFolder folder_;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace testing
