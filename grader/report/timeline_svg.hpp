// A run's timeline as a picture like those of the lectures on streams: time runs to the right, a row for each
// stream and each engine. Stands alone: no script, no font, colours for light and dark backgrounds; every
// box carries its facts as a tooltip.
#pragma once

#include <span>
#include <string>

#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/model/profile.hpp"

namespace grader {

/// Deterministic. A panel for each program that used a stream; at most kMaxBoxes boxes a row, and a note if
/// there are more.
std::string timeline_svg(std::span<const vgpu::cudart::SessionReport> programs, const vgpu::Profile& profile);
inline constexpr std::size_t kMaxBoxes = 2000;

}  // namespace grader
