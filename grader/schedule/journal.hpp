// DIR/journal.jsonl: what happened, a line of JSON an event, only ever appended to. A line is on disk whole
// or not at all: open() drops the beginning of one whose writer was killed. The open journal also keeps a
// second `grade` out of the same folder. Thread safe. Covered by schedule/journal_test.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"

namespace grader {

class Journal {
 public:
  /// WG-G21: cannot be written; WG-G22: another process has it.
  static Expected<Journal, Diagnostic> open(const std::filesystem::path& file);
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  /// `json_line` holds no line end. On failure the file is as it was.
  Expected<bool, Diagnostic> append(const std::string& json_line);

 private:
  struct State;
  explicit Journal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace grader
