// The process tree of this machine.
#pragma once

#include <vector>

#include <sys/types.h>

namespace testing {

/// 0 for a process that has ended.
pid_t parent_of(pid_t process);

/// The process and all its descendants, parents first.
std::vector<pid_t> tree_of(pid_t root);

}  // namespace testing
