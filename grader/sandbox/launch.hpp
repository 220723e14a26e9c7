// Starts a process with prepared descriptors, limits and user, cheaply and safely from a program with many
// threads. Knows nothing of boxes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace grader {

/// The user that boxed processes are when the grader runs as root ("nobody").
inline constexpr uid_t kBoxUser = 65534;

/// The box user may not be able to reach a path of ours (below /root, for instance), so root binds it to a
/// place that everyone can reach, in a mount namespace that only the child has.
struct StagedMount {
  std::string outside, staged;  ///< `staged` lies directly below kStagingFolder
  bool is_folder = true;
};

/// Made once by root and left empty; children mount a file system of their own over it.
inline constexpr const char* kStagingFolder = "/run/warpgrade-box";

struct LaunchPlan {
  std::vector<std::string> command;              ///< the program's absolute path comes first
  std::vector<std::string> environment;          ///< "NAME=value"
  std::vector<std::pair<int, int>> descriptors;  ///< {ours, the child's}; every other one is closed
  int report_descriptor = -1;                    ///< ours; takes a BoxReport when the child cannot exec
  std::vector<std::pair<int, rlim_t>> limits;    ///< {RLIMIT_…, value}; cut to what the caller may set
  int cgroup_descriptor = -1;                    ///< cgroup.procs of a group to join; -1 = none
  bool become_box_user = false;
  std::vector<StagedMount> staged;  ///< made before becoming the box user
  bool own_process_group = false;
  std::string working_folder;  ///< empty = the caller's
};

/// The child's pid, or -1 with errno set. What fails in the child is reported on report_descriptor.
pid_t launch(const LaunchPlan& plan);

}  // namespace grader
