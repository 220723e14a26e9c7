// Runs the built `warpgrade` on a pseudo terminal, or with pipes, and talks to it while it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <termios.h>

namespace testing {

enum class Ends { terminal, pipes };

class TerminalProgram {
 public:
  TerminalProgram(const std::vector<std::string>& arguments, Ends ends);
  ~TerminalProgram();  ///< kills the program if it still runs
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  /// Reads until the output since the last call contains `text`; false after a minute or at the end.
  bool waits_for(const std::string& text);
  void press(char key) const;
  void send(int signal) const;
  /// Waits until the program has stopped (SIGTSTP); false after a minute.
  bool has_stopped();
  /// Exit status, or 128 + signal.
  int wait();
  /// Whether the terminal echoes keys and waits for whole lines.
  bool is_terminal_usual() const;
  const std::string& output() const { return output_; }

 private:
  std::optional<int> next_report();
  bool read_output();

  pid_t supervisor_ = -1, program_ = -1;
  int reports_ = -1;  ///< the process of the program, then its changes of state, as waitpid() gives them
  int end_ = -1;      ///< of the terminal, or of the pipe for output
  bool has_ended_ = false;
  std::string output_;    ///< all of it
  std::size_t seen_ = 0;  ///< up to the last text that was waited for
};

}  // namespace testing
