// What a program did wrong between its streams, as diagnostics.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/program.hpp"
#include "vgpu/cudart/device_side/stream_races.hpp"

namespace grader {

/// WG-R08.
Diagnostic diagnose_stream_race(const vgpu::cudart::StreamRace& race, const SourceReader& read = {});

}  // namespace grader
