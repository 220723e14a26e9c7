// The bubblewrap command line of a box: what the boxed command can access, and its user. Pure, except that it
// reads how the host arranges /bin, /lib and similar folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/box.hpp"

namespace grader {

/// The path of the box's first process (box_init.cpp) inside the box.
inline constexpr const char* kInitInside = "/run/box-init";

/// Descriptors that bubblewrap inherits.
struct BubblewrapDescriptors {
  int info;    ///< bubblewrap writes the box's pid to it
  int filter;  ///< bubblewrap reads the filter of system calls from it
};

/// The command line up to, but without, the boxed command; execute it with an empty environment. The user who
/// starts bubblewrap must be able to access the outside paths of `mounts`.
std::vector<std::string> bubblewrap_command(const std::filesystem::path& bubblewrap, const BoxJob& job,
                                            const std::vector<BoxMount>& mounts,
                                            const BubblewrapDescriptors& descriptors);

}  // namespace grader
