// Diagnoses races between the streams of a program, and between streams and host code.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/program.hpp"
#include "vgpu/cudart/device_side/stream_races.hpp"

namespace grader {

/// Returns WG-R08.
Diagnostic diagnose_stream_race(const vgpu::cudart::StreamRace& race, const SourceReader& read = {},
                                const std::string& array = {});

}  // namespace grader
