// Handlers in which lanes read each other's values (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match, redux,
// activemask). When one of them runs, all live lanes of the member mask take part (control::gather_groups).
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

void add_warp_wide_forms(FormTable& table);

}  // namespace vgpu::exec
