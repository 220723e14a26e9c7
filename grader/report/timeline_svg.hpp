// Draws a run's timeline as in the lectures on streams: time runs to the right, with one row per stream and
// per engine. The picture is self-contained: no script, no font, colours for light and dark backgrounds.
// Every box has its data as a tooltip.
#pragma once

#include <span>
#include <string>

#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/model/profile.hpp"

namespace grader {

/// Deterministic. One panel per program that used a stream; at most kMaxBoxes boxes per row, and a note if
/// there are more.
std::string timeline_svg(std::span<const vgpu::cudart::SessionReport> programs, const vgpu::Profile& profile);
inline constexpr std::size_t kMaxBoxes = 2000;

}  // namespace grader
