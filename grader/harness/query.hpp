// Properties of the devices as JSON, for `doctor` and the grader's records.
#pragma once

namespace grader::harness {

/// Prints one line: {"devices": [{"name", "compute_capability", "global_bytes", …}]}, or {"error": "…"}.
/// Returns the exit status.
int print_devices();

}  // namespace grader::harness
