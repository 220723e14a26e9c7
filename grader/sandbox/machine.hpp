// What this machine lacks for boxes, in words that say what to do.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace grader {

Diagnostic bubblewrap_missing();
/// `failure` is what a trial run of a box came to.
Diagnostic explain_probe_failure(const Diagnostic& failure, const std::string& bubblewrap_version);
Diagnostic unkillable(const std::string& command);

}  // namespace grader
