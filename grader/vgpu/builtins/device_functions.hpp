// Functions that the device provides to kernels: vprintf, __assertfail, malloc, free and
// libdevice's mathematics.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

struct DeviceCall {
  Handler handler = nullptr;
  std::vector<std::uint32_t> local_offsets;  ///< offsets in the frame: of the result, then of the arguments
  bool needs_block_order = false;            ///< as in Program::needs_block_order
};

/// `frame` holds the .param variables of the calling function. Throws Unsupported for other callees.
DeviceCall device_call(const ptx::Instruction& instruction, const Layout& frame);

}  // namespace vgpu::exec
