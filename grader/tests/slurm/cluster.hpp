// A real Slurm on this machine, for a test: munged, slurmctld and a slurmd for each node, started as the
// current user in a temporary folder on free ports, without systemd and cgroups. However the test ends, none
// of its processes survives (keeper.cpp). The nodes have one CPU and one GPU each; the GPUs are not real.
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
  /// The programs that are not installed here. A cluster can be started only if the list is empty.
  static std::vector<std::string> missing_programs();

  /// Returns when all nodes are ready; throws std::runtime_error with the ends of the logs if they do not
  /// become ready.
  explicit Cluster(unsigned nodes, unsigned max_array_size = 1001);
  ~Cluster();

  /// The environment in which Slurm's tools find this cluster.
  std::map<std::string, std::string> environment() const;

  // Nodes count from 1. These functions do not wait for the effect.
  void kill_daemon(unsigned node);  ///< kills only slurmd, with SIGKILL; tasks continue as orphans
  void crash(unsigned node);        ///< kills everything on the node, as in a power failure
  void start_daemon(unsigned node);
  void kill_controller();
  void start_controller();  ///< with its saved state
  // Returns a node to service, as an administrator would. The controller takes a node out of service
  // ("Duplicate jobid") if the node returns with a job that the controller had given up.
  void take_out_of_service(unsigned node, const std::string& reason);
  void return_to_service(unsigned node);

  /// Processes of the cluster and its tasks whose command line contains `word`.
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
