// Diagnostics for requirements of boxes that this machine does not meet, with advice.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace grader {

Diagnostic bubblewrap_missing();
/// `failure` is the diagnostic of a trial run of a box.
Diagnostic explain_probe_failure(const Diagnostic& failure, const std::string& bubblewrap_version);
Diagnostic unkillable(const std::string& command);

}  // namespace grader
