// A profile as its readers see it: one run of a lab's case or of any program, on one device or more. Two
// renderers: text for terminals, and one self-contained HTML page. Pure. Covered by tests/profile/; goldens:
// tests/profile/golden/.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/lab.hpp"
#include "profile/gpu_facts.hpp"
#include "profile/kernel_facts.hpp"
#include "profile/roofline.hpp"
#include "report/terminal.hpp"
#include "score/score.hpp"

namespace grader {

/// A counter next to the values in lab.json.
struct ComparedCounter {
  std::string name;
  std::string yours, naive, solution;
  std::string limit;  ///< "≤ 0.3"; empty: none
};

struct RunProfile {
  std::string title;     ///< "02-tiled-matmul, case square-256"
  std::string subtitle;  ///< "virtual device, profile lecture · nvcc 13.0.88"
  std::vector<std::string> notes;
  std::vector<ComparedCounter> compared;
  DeviceRun run;  ///< of the kernels below
  std::vector<KernelFacts> kernels;
  std::vector<Roofline> rooflines;     ///< one for each device
  std::vector<std::string> exactness;  ///< exactness_lines()
  std::optional<GpuFacts> gpu = {};    ///< of the same case on a real GPU
  AccessChoice choice;
  bool shows_ptx = false;
};

/// Computes the members after `run`, for it and the runs on further devices.
void describe(RunProfile& profile, const std::vector<DeviceRun>& others, const FindSource& find_source,
              const FindArray& find_array = no_array);

/// The objectives of the lab that concern the case, with their counters.
std::vector<ComparedCounter> compared_counters(const Lab& lab, const Score& score,
                                               const std::string& case_name);

/// A measure of a kernel next to its ideal value.
struct Measure {
  std::string name;
  std::string yours, ideal;
  bool is_ideal = true;
};
std::vector<Measure> measures_of(const KernelFacts& kernel);

std::string profile_text(const RunProfile& profile, const Terminal& terminal);

/// Works without script and without network; its content security policy permits neither.
std::string profile_page(const RunProfile& profile);

/// The pictures as files: name and SVG document.
std::vector<std::pair<std::string, std::string>> profile_pictures(const RunProfile& profile);

}  // namespace grader
