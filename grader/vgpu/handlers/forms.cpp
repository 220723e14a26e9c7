#include "vgpu/handlers/forms.hpp"

#include <stdexcept>

#include "vgpu/flow/address_forms.hpp"
#include "vgpu/flow/async_forms.hpp"
#include "vgpu/flow/memory_barriers.hpp"
#include "vgpu/flow/warp_wide.hpp"

namespace vgpu::exec {

namespace baseline {
void add_forms(FormTable&);  // form_tables.cpp
}
namespace v3 {
void add_forms(FormTable&);
}

namespace {

FormTable make_forms() {
  FormTable table;
  add_address_forms(table);
  add_async_forms(table);
  add_memory_barrier_forms(table);
  add_warp_wide_forms(table);
#ifdef VGPU_HAS_v3
  if (runs_v3()) {
    v3::add_forms(table);
    return table;
  }
#endif
#ifdef VGPU_HAS_baseline
  baseline::add_forms(table);
  return table;
#else
  throw std::runtime_error(
      "this program was built for a processor with AVX2; configure with -DWARPGRADE_VGPU_ISA=all and build "
      "again");
#endif
}

}  // namespace

bool runs_v3() {
#ifdef VGPU_HAS_v3
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

const FormTable& forms() {
  static const FormTable table = make_forms();
  return table;
}

}  // namespace vgpu::exec
