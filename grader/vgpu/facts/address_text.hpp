// How messages name an address.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace vgpu {

/// Where programs of 64-bit Linux have their heap, stack and libraries.
inline bool looks_like_host_memory(std::uint64_t address) {
  return address >= std::uint64_t{1} << 32U && address < std::uint64_t{1} << 47U;
}

/// "address 0x4000000800000000". The host lays out its memory anew for each run, so that its addresses would
/// make the same program's messages differ from run to run: "a host address".
inline std::string address_text(std::uint64_t address) {
  return looks_like_host_memory(address) ? "a host address" : fmt::format("address {:#x}", address);
}

}  // namespace vgpu
