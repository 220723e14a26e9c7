// From what was seen of a box to how it ended. Pure.
#pragma once

#include <optional>
#include <string>

#include "sandbox/box.hpp"
#include "sandbox/watch.hpp"

namespace grader {

/// What kept the command from being started, if anything did.
std::optional<std::string> start_failure(const Watched& watched, const std::string& command);

/// `killed_for_memory` is the cgroup's word; nullopt without a cgroup.
BoxResult conclude(const Watched& watched, const BoxLimits& limits, std::optional<bool> killed_for_memory);

}  // namespace grader
