// The facts that all findings have.
#pragma once

#include "vgpu/facts/fault.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// Kernel, place and kind of an access; threads, block and address are the caller's to add.
Fault describe_access(const Program& program, FaultKind kind, const AccessSite& site);
OtherAccess describe_other(const Program& program, const AccessSite& site, bool is_store);

}  // namespace vgpu::exec
