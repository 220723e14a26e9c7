// Derives how a box ended from the observations of watch(). Pure.
#pragma once

#include <optional>
#include <string>

#include "sandbox/box.hpp"
#include "sandbox/watch.hpp"

namespace grader {

/// Why the command could not be started; nullopt if it was started.
std::optional<std::string> start_failure(const Watched& watched, const std::string& command);

/// `killed_for_memory`: MemoryCgroup::killed_for_memory(); nullopt without a cgroup.
BoxResult conclude(const Watched& watched, const BoxLimits& limits, std::optional<bool> killed_for_memory);

}  // namespace grader
