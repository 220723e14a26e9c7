// A source line in the program's host code, as the client reports it.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu::cudart {

/// Unknown members are empty or 0.
struct HostPlace {
  std::string file;
  std::uint32_t line = 0;
  std::string function;

  friend bool operator==(const HostPlace&, const HostPlace&) = default;
};

}  // namespace vgpu::cudart
