// isspacep, the test of an address's space. Shared by all instruction sets.
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

void add_address_forms(FormTable& table);

}  // namespace vgpu::exec
