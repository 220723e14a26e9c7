// The counters of a submission's source lines in one case on the virtual GPU, and the file line-counters.json
// that stores them next to the submission's pictures. Pure. Tested by tests/report/line_counters_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace grader {

/// The mean cost of the requests of one line, and what the cost would be with ideal addresses.
struct PerRequest {
  double cost = 0, ideal = 0;

  bool is_ideal() const { return cost <= ideal; }

  friend bool operator==(const PerRequest&, const PerRequest&) = default;
};

struct LineCounters {
  std::uint32_t line = 0;                    ///< 0: code without a line
  double share_percent = 0;                  ///< of all warp instructions
  std::optional<double> active_lanes;        ///< per warp instruction; none: no warp instruction
  std::optional<PerRequest> global_sectors;  ///< none: no access to global memory
  std::optional<PerRequest> shared_passes;   ///< none: no access to shared memory
  std::optional<double> divergent_percent;   ///< of the branches; none: no branch

  friend bool operator==(const LineCounters&, const LineCounters&) = default;
};

/// The counters of one source file.
struct FileLineCounters {
  std::string file;           ///< "tiled_matmul.cu"
  std::string source_sha256;  ///< of the file's bytes: the lines of another version are other lines
  std::string case_name;
  std::vector<LineCounters> lines;  ///< by line, each once; at most kMaxCountedLines

  friend bool operator==(const FileLineCounters&, const FileLineCounters&) = default;
};

inline constexpr std::size_t kMaxCountedLines = 4000;
/// The size of the largest file with kMaxCountedLines, and some more.
inline constexpr std::size_t kMaxLineCountersBytes = std::size_t{2} << 20U;

/// Requires: the values are valid. Described in schema/line-counters.schema.json.
std::string line_counters_json(const FileLineCounters& counters);

/// The error names the place in the file and what is wrong there. Every value is checked, because the file
/// might come from anywhere.
Expected<FileLineCounters, std::string> parse_line_counters(std::string_view json);

}  // namespace grader
