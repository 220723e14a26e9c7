// The page that `warpgrade check` prints: one line per task, the diagnostics, the speed, and the next step.
// Goldens: tests/report/golden/check-*.txt.
#pragma once

#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "report/result.hpp"
#include "report/terminal.hpp"

namespace grader {

struct CheckPage {
  std::string source_path;  ///< the path under which the reader can open the file
  std::string hints_path;   ///< shown if a check failed; empty: none
  /// The command that checked the lab, to which `--case` can be added; empty: not shown.
  std::string command = {};
  std::vector<std::string> limits = {};  ///< of the timed cases' kernels (kernel_limits.hpp)
  std::string write_up_path = {};        ///< page with questions for the write-up; shown with all points
  std::string hand_in = {};              ///< the command that packs the file; shown with all points
  std::string next_lab = {};             ///< the lab after this one; shown with all points
};

std::string check_text(const Lab& lab, const Result& result, const CheckPage& page, const Terminal& terminal);

/// The page for one case (`check --case`), without points.
std::string case_text(const Lab& lab, const Result& result, const CheckPage& page, const Terminal& terminal);

/// The failed checks' diagnostics alone, the first one in full; empty if no check failed.
std::string failure_text(const Lab& lab, const Result& result, const CheckPage& page,
                         const Terminal& terminal);

/// Why a check has fewer points than its own: "limited to 80 % by tiling".
std::string cap_text(const Cap& cap);

/// Objectives (yours, limit, naive, solution) and speed-ups; empty if nothing was measured.
std::string performance_text(const Lab& lab, const Score& score, const Terminal& terminal);

}  // namespace grader
