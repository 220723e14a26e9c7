// The supported instructions: a table from the spelled form of an instruction ("fma.rn.f32") to its handler
// and the shape of its operands. Each forms_*.cpp file adds one group; the files are compiled once per
// instruction set (isa.hpp), and the best set that the machine supports is used.
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

/// The table for this machine; built on first use, then read-only.
const FormTable& forms();
/// Whether the machine can run the handlers for x86-64-v3 (AVX2, FMA, BMI).
bool runs_v3();

}  // namespace vgpu::exec
