// What the virtual GPU can run: a table from the spelled form of an instruction ("fma.rn.f32") to its handler
// and to how its operands are decoded. The forms_*.cpp files fill it, one group each; they are compiled once
// for every instruction set in isa.hpp, and the best one that the machine has is taken.
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

/// The table for this machine; built on first use, then read-only.
const FormTable& forms();
/// Whether the machine runs the handlers made for x86-64-v3 (AVX2, FMA, BMI).
bool runs_v3();

}  // namespace vgpu::exec
