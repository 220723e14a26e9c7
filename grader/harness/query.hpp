// What the harness does without a submission: reports the devices' properties as JSON, for `doctor` and the
// grader's records, and keeps the devices initialised.
#pragma once

namespace grader::harness {

/// Prints one line: {"devices": [{"name", "compute_capability", "global_bytes", …}]}, or {"error": "…"}.
/// Returns the exit status.
int print_devices();

/// Initialises the driver, then waits until the other end of the socket is closed. Creates no context: it
/// takes no device memory and does not appear in NVML's list of processes. Returns the exit status, 0 also
/// without a driver.
int hold_devices(int socket);

}  // namespace grader::harness
