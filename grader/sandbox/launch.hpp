// Starts a process with prepared descriptors, limits and user, cheaply and safely from a program with many
// threads. Independent of boxes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace grader {

/// The user of boxed processes if the grader runs as root ("nobody").
inline constexpr uid_t kBoxUser = 65534;

/// The box user might not have access to a path of the grader (below /root, for instance), so root binds it
/// to a path that all users can access, in a mount namespace of the child only.
struct StagedMount {
  std::string outside, staged;  ///< `staged` is directly below kStagingFolder
  bool is_folder = true;
};

/// Created once by root and left empty; each child mounts a file system of its own over it.
inline constexpr const char* kStagingFolder = "/run/warpgrade-box";

struct LaunchPlan {
  std::vector<std::string> command;              ///< the first element is the program's absolute path
  std::vector<std::string> environment;          ///< "NAME=value"
  std::vector<std::pair<int, int>> descriptors;  ///< {ours, the child's}; all others are closed
  int report_descriptor = -1;                    ///< ours; the child writes a BoxReport if it cannot exec
  std::vector<std::pair<int, rlim_t>> limits;    ///< {RLIMIT_…, value}; reduced to what the caller may set
  int cgroup_descriptor = -1;                    ///< cgroup.procs of a group to join; -1 = none
  bool become_box_user = false;
  std::vector<StagedMount> staged;  ///< mounted before the child becomes the box user
  bool own_process_group = false;
  std::string working_folder;  ///< empty = the caller's
};

/// The child's pid, or -1 with errno set. Failures in the child are reported on report_descriptor.
pid_t launch(const LaunchPlan& plan);

}  // namespace grader
