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

/// Everything up to and without the command; execute with an empty environment. The box's pid is written to
/// descriptor `info`. Outside paths of `mounts` must be reachable for the user who starts bubblewrap.
std::vector<std::string> bubblewrap_command(const std::filesystem::path& bubblewrap, const BoxJob& job,
                                            const std::vector<BoxMount>& mounts, int info);

}  // namespace grader
