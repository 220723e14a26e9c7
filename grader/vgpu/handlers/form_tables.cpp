#include "vgpu/handlers/form_tables.hpp"

namespace vgpu::exec::VGPU_ISA {

/// All forms, with handlers for this instruction set.
void add_forms(FormTable& t) {
  add_integer_forms(t);
  add_carry_forms(t);
  add_packed_integer_forms(t);
  add_float_forms(t);
  add_float_selection_forms(t);
  add_approximate_forms(t);
  add_half_forms(t);
  add_half_comparison_forms(t);
  add_predicate_forms(t);
  add_convert_forms(t);
  add_convert_small_float_forms(t);
  add_memory_forms(t);
  add_atomic_forms(t);
  add_packed_atomic_forms(t);
  add_async_copy_forms(t);
  add_tensor_forms(t);
  add_experiment_forms(t);
}

}  // namespace vgpu::exec::VGPU_ISA
