// The bubblewrap command line of a box: what the command inside can see and who it is. Pure but for a look at
// how the host arranges /bin, /lib and the like.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/box.hpp"

namespace grader {

/// Where the box's first process (box_init.cpp) lies inside.
inline constexpr const char* kInitInside = "/run/box-init";

/// Descriptors that bubblewrap finds open.
struct BubblewrapDescriptors {
  int info;    ///< takes the box's pid
  int filter;  ///< gives the filter of system calls
};

/// Everything up to and without the command; execute with an empty environment. Outside paths of `mounts`
/// must be reachable for the user who starts bubblewrap.
std::vector<std::string> bubblewrap_command(const std::filesystem::path& bubblewrap, const BoxJob& job,
                                            const std::vector<BoxMount>& mounts,
                                            const BubblewrapDescriptors& descriptors);

}  // namespace grader
