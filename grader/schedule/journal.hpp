// DIR/journal.jsonl: the events of a run, one line of JSON per event, append-only. Only complete lines count:
// open() removes an incomplete last line, left by a process that was killed. The open journal also locks the
// folder against a second `grade`. Thread-safe. Covered by schedule/journal_test.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"

namespace grader {

class Journal {
 public:
  /// Errors: WG-G21 if the file cannot be written, WG-G22 if another process has it open.
  static Expected<Journal, Diagnostic> open(const std::filesystem::path& file);
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  /// `json_line` contains no newline. On failure the file is unchanged.
  Expected<bool, Diagnostic> append(const std::string& json_line);

 private:
  struct State;
  explicit Journal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace grader
