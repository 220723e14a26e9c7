// The divergence picture: which lanes of one warp execute at each step. Pure. Covered by
// tests/profile/divergence_test.cpp; goldens: tests/profile/golden/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/kernel_facts.hpp"
#include "report/terminal.hpp"
#include "vgpu/facts/recording.hpp"

namespace grader {

/// Steps that follow each other and, if `times` is more than 1, repeat: a loop.
struct StepGroup {
  std::size_t first = 0, count = 1;  ///< the steps [first, first + count)
  std::size_t times = 1;
};

/// The path with repetitions folded: loops of up to kMaxPeriod different steps.
std::vector<StepGroup> folded(const std::vector<vgpu::RecordedStep>& steps);
inline constexpr std::size_t kMaxPeriod = 24;

/// Lanes of the warp's instructions: executing, waiting for other lanes of the warp, ended.
struct LaneUse {
  std::uint64_t active = 0, waiting = 0, ended = 0;
};
LaneUse lane_use(const vgpu::RecordedPath& path);

/// "block (0, 0, 0), warp 3".
std::string warp_place(const vgpu::Dim3& block, std::uint32_t warp);

/// At most kTextSteps rows of 32 marks, around the first divergence; one sentence if there is none.
std::string divergence_text(const KernelFacts& kernel, const Terminal& terminal);
inline constexpr std::size_t kTextSteps = 24;

/// A complete SVG document; empty if the kernel has no recorded steps.
std::string divergence_svg(const KernelFacts& kernel);

}  // namespace grader
