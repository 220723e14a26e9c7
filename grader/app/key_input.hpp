// Single keys from the terminal: while an object exists, the terminal passes on each key immediately and does
// not echo it. The terminal's settings are restored when the object ends, when a signal ends or stops the
// program, and set again when it continues. At most one object at a time.
#pragma once

#include <optional>

namespace grader::app {

class KeyInput {
 public:
  /// Does nothing if standard input is not a terminal.
  KeyInput();
  ~KeyInput();
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  bool is_active() const { return is_active_; }
  /// The next key, if one was pressed. 4 (Ctrl-D) at the end of the input.
  std::optional<char> take() const;
  /// Forgets the keys that were pressed so far.
  void ignore_pending() const;

  static constexpr char kEnd = 4;

 private:
  bool is_active_ = false;
};

}  // namespace grader::app
