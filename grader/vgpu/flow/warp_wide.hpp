// Handlers in which lanes look at each other's values (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match, redux,
// activemask). All lanes of the member mask are there when one of these runs (control::gather_groups).
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

void add_warp_wide_forms(FormTable& table);

}  // namespace vgpu::exec
