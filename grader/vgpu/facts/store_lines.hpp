// The source lines whose stores wrote words of memory last, as small numbers: a trace needs one for each
// word.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vgpu {

/// The number of a line in a StoreLines table. 0: no kernel wrote the word, or its line is unknown.
using StoreLine = std::uint16_t;

class StoreLines {
 public:
  struct Line {
    std::string file;  ///< as the compiler named it
    std::uint32_t line = 0;
    friend auto operator<=>(const Line&, const Line&) = default;  // NOLINT(modernize-use-nullptr)
  };

  /// 0 if the line is unknown, or if the table is full.
  StoreLine number(Line line) {
    if (line.file.empty() || line.line == 0) return 0;
    const auto known = numbers_.find(line);
    if (known != numbers_.end()) return known->second;
    if (lines_.size() >= std::numeric_limits<StoreLine>::max()) return 0;
    lines_.push_back(line);
    const auto number = static_cast<StoreLine>(lines_.size());
    numbers_.emplace(std::move(line), number);
    return number;
  }
  /// By number, from 1: line n is element n - 1.
  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::vector<Line> lines_;
  std::map<Line, StoreLine> numbers_;
};

}  // namespace vgpu
