// Why a CUDA call of the program failed, from the call's error and from its line of the source. Pure. Covered
// by judge/failed_calls_test.cpp.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/advice.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

Advice advice_on(const vgpu::cudart::ApiFailure& failure);

/// Replaces the advice of `failed`, which names its line, if that line shows the mistake.
void advise_on_line(const vgpu::cudart::ApiFailure& failure, const SourceText& source, Diagnostic& failed);

}  // namespace grader
