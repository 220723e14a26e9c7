// Runs a program and returns its output.
#pragma once

#include <string>
#include <vector>

namespace testing {

struct Finished {
  int status = -1;     ///< as waitpid reports it
  std::string output;  ///< stdout and stderr
};

/// A started program. Its output goes to a temporary file, so the test does not have to read it while the
/// program runs.
class RunningCommand {
 public:
  /// `device` becomes the program's descriptor 4; -1: the program gets no device.
  explicit RunningCommand(const std::vector<std::string>& command, int device = -1);
  Finished wait();

 private:
  int child_ = -1;
  int output_ = -1;
};

inline Finished run_command(const std::vector<std::string>& command) {
  return RunningCommand(command).wait();
}

}  // namespace testing
