// Facts that all findings share.
#pragma once

#include "vgpu/facts/fault.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

/// Kernel, source place and kind of an access; the caller adds threads, block and address.
Fault describe_access(const Program& program, FaultKind kind, const AccessSite& site);
OtherAccess describe_other(const Program& program, const AccessSite& site, bool is_store);

}  // namespace vgpu::exec
