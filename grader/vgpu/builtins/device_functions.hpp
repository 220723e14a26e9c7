// Functions that kernels call and that the device itself provides: vprintf, __assertfail, malloc, free and
// libdevice's mathematics.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

struct DeviceCall {
  Handler handler = nullptr;
  std::vector<std::uint32_t> local_offsets;  ///< of the result, then the arguments, in the frame
  bool needs_block_order = false;            ///< as Program::needs_block_order
};

/// `frame` holds the .param variables of the calling function. Throws Unsupported for other callees.
DeviceCall device_call(const ptx::Instruction& instruction, const Layout& frame);

}  // namespace vgpu::exec
