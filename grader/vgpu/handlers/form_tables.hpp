// For forms_*.cpp only: the families of forms, one file each, for the instruction set that is being compiled.
#pragma once

#include "vgpu/handlers/isa.hpp"

namespace vgpu::exec::VGPU_ISA {

void add_integer_forms(FormTable&);
void add_carry_forms(FormTable&);
void add_packed_integer_forms(FormTable&);
void add_float_forms(FormTable&);
void add_float_selection_forms(FormTable&);
void add_approximate_forms(FormTable&);
void add_half_forms(FormTable&);
void add_half_comparison_forms(FormTable&);
void add_predicate_forms(FormTable&);
void add_convert_forms(FormTable&);
void add_convert_small_float_forms(FormTable&);
void add_memory_forms(FormTable&);
void add_atomic_forms(FormTable&);
void add_packed_atomic_forms(FormTable&);
void add_async_copy_forms(FormTable&);
void add_tensor_forms(FormTable&);
void add_experiment_forms(FormTable&);

}  // namespace vgpu::exec::VGPU_ISA
