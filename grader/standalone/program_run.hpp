// Runs a command whose CUDA programs use a virtual GPU in this process. Each program that the command starts
// and that makes a CUDA call gets a device of its own, as if it were alone on a machine.
//
// The command finds the device through a socket in a private folder, which only this user can reach.
// Thread safety: one call at a time (signal actions are replaced while it runs). Covered by
// tests/standalone/.
#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "standalone/program_device.hpp"

namespace grader {

struct ProgramRun {
  int exit_code = 0;                                  ///< of the command
  int signal = 0;                                     ///< the signal that ended the command; 0: it exited
  std::vector<vgpu::cudart::SessionReport> programs;  ///< in the order of their first CUDA calls
  bool faulted() const;                               ///< a launch of any program has a fault or a finding
};

/// Returns when the command and all programs that reached a device have ended. The error is the reason why
/// the command could not be started.
Expected<ProgramRun, std::string> run_program(const std::vector<std::string>& command,
                                              const DeviceSettings& settings);

}  // namespace grader
