// Where the program's host code stood, as it says itself.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu::cudart {

/// Empty and 0 where it does not know.
struct HostPlace {
  std::string file;
  std::uint32_t line = 0;
  std::string function;

  friend bool operator==(const HostPlace&, const HostPlace&) = default;
};

}  // namespace vgpu::cudart
