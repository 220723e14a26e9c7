// Facts about the device as JSON, for `doctor` and the record.
#pragma once

namespace grader::harness {

/// Prints one line: {"devices": [{"name", "compute_capability", "global_bytes", …}]}, or {"error": "…"}.
/// Returns the exit status.
int print_devices();

}  // namespace grader::harness
