// What a program did wrong between its streams, as diagnostics.
#pragma once

#include "base/diagnostic.hpp"
#include "vgpu/cudart/stream_races.hpp"

namespace grader {

/// WG-R08.
Diagnostic diagnose_stream_race(const vgpu::cudart::StreamRace& race);

}  // namespace grader
