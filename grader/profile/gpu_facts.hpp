// What Nsight Compute and compute-sanitizer found out about a run on a real GPU, next to the virtual GPU's
// counters. Pure. Covered by tests/profile/gpu_facts_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "profile/nsight_log.hpp"
#include "report/terminal.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

/// A counter of a kernel on both devices.
struct CounterPair {
  std::string name;
  double ours = 0, measured = 0;
  std::string reason;  ///< why the two can differ; empty: they are equal
};

/// A kernel on both devices; all of its launches are added up.
struct PairedKernel {
  std::string name;
  std::uint64_t launches = 0;  ///< on the real GPU
  std::vector<CounterPair> counters;
};

struct GpuFacts {
  std::string gpu;                    ///< "NVIDIA H100 80GB HBM3"
  std::vector<PairedKernel> kernels;  ///< empty: not measured
  std::vector<std::string> notes;     ///< a tool that is not installed, or that found nothing
  std::vector<Diagnostic> findings;   ///< compute-sanitizer's
  std::vector<Diagnostic> problems;   ///< a tool that did not work, and differences between the devices
};

/// The metrics to measure, once each.
std::vector<std::string> nsight_metrics();

/// Adds the kernels of Nsight Compute's log, and the problems of a log that is not complete: errors, a kernel
/// that ran on one device only, other numbers of launches. `run`: of the same case on the virtual GPU.
void add_measured(GpuFacts& facts, const NsightLog& log, const vgpu::cudart::SessionReport& run);

/// WG-G76: the tool did not do its work. `what` is a clause: "it wrote no log".
Diagnostic tool_problem(const std::string& tool, const std::string& what);

std::string gpu_text(const GpuFacts& facts, const Terminal& terminal);
/// A section of the page.
std::string gpu_markup(const GpuFacts& facts);

}  // namespace grader
