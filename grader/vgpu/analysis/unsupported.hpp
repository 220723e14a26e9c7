// The reason why an instruction cannot be decoded.
#pragma once

#include <string>

namespace vgpu::exec {

/// Thrown while a kernel is decoded; decode() catches it and reports the instruction.
struct Unsupported {
  std::string detail;
};

}  // namespace vgpu::exec
