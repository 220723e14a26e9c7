// A line on a terminal that shows the progress of a long job and is redrawn. Writes nothing if the output is
// not a terminal (a pipe, a log). Thread safe. Tested by report/progress_test.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "report/terminal.hpp"

namespace grader {

/// "[#####-----] 12/60  3.1/min  time left 0:48  alice", at most `width` columns. `before` of the `done`
/// items were finished when the job began, so they do not count for its rate.
std::string progress_text(std::size_t done, std::size_t before, std::size_t total,
                          std::chrono::duration<double> elapsed, std::string_view latest,
                          const Terminal& terminal);

class ProgressLine {
 public:
  using Write = std::function<void(std::string_view)>;

  ProgressLine(Terminal terminal, Write write);
  ~ProgressLine();  ///< clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Items that are done at the first call were finished when the job began, and do not count for its rate.
  void show(std::size_t done, std::size_t total, std::string_view latest);
  /// A stage without numbers: "building tiled_matmul.cu".
  void show(std::string_view stage);
  void clear();

 private:
  void draw(const std::string& line);

  Terminal terminal_;
  Write write_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  bool drawn_ = false;
  std::optional<std::size_t> before_;  ///< done at the first call
};

}  // namespace grader
