// Instructions about addresses: isspacep. The same for every instruction set.
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

void add_address_forms(FormTable& table);

}  // namespace vgpu::exec
