// Runs a program and keeps what it prints.
#pragma once

#include <string>
#include <vector>

namespace testing {

struct Finished {
  int status = -1;     ///< as waitpid reports it
  std::string output;  ///< stdout and stderr
};

/// A started program. Its standard output goes to a temporary file, so nobody has to read along.
class RunningCommand {
 public:
  /// `device` becomes the program's descriptor 4; -1: it gets none.
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
