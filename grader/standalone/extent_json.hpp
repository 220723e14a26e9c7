// Grid and block sizes in the JSON files of `warpgrade run`.
#pragma once

#include <nlohmann/json.hpp>

#include "vgpu/facts/dim3.hpp"

namespace grader {

/// [x, y, z]
inline nlohmann::ordered_json extent_json(const vgpu::Dim3& extent) { return {extent.x, extent.y, extent.z}; }

}  // namespace grader
