// The roofline of a run: the rate of each kernel's floating-point operations against what the device's
// arithmetic and its levels of memory allow (Williams, Waterman and Patterson, 2009). Pure. Covered by
// tests/profile/roofline_test.cpp; goldens: tests/profile/golden/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profile/kernel_facts.hpp"
#include "report/terminal.hpp"

namespace grader {

/// A level of memory of the device.
struct Roof {
  std::string level;  ///< "DRAM", "L2", "L1"
  double bytes_per_s = 0;
};

/// A kernel's operations per byte that the level moves.
struct RooflinePoint {
  std::string kernel;
  std::string level;
  double flops_per_byte = 0;
  double flops_per_s = 0;
  double bound_flops_per_s = 0;  ///< what peak and the level's roof allow at this intensity
};

struct Roofline {
  std::string device;
  double peak_flops_per_s = 0;
  std::vector<Roof> roofs;  ///< from the slowest to the fastest level
  std::vector<RooflinePoint> points;
  /// Kernels that have no place on a roofline: name, and bytes of DRAM traffic per second.
  std::vector<std::pair<std::string, double>> without_flops;

  double ridge() const { return roofs.empty() ? 0 : peak_flops_per_s / roofs.front().bytes_per_s; }
};

Roofline roofline(const vgpu::Profile& device, const std::vector<KernelFacts>& kernels);

/// In G per second: "311.4", "66,908".
std::string rate_text(double per_s);

std::string roofline_text(const Roofline& roofline, const Terminal& terminal);

/// A complete SVG document.
std::string roofline_svg(const Roofline& roofline);

}  // namespace grader
