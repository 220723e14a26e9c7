// The text for an address in messages.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace vgpu {

/// True in the range in which programs on 64-bit Linux have their heap, stack and libraries.
inline bool looks_like_host_memory(std::uint64_t address) {
  return address >= std::uint64_t{1} << 32U && address < std::uint64_t{1} << 47U;
}

/// For example "address 0x4000000800000000". Host addresses differ from run to run, and messages must not:
/// they become "a host address".
inline std::string address_text(std::uint64_t address) {
  return looks_like_host_memory(address) ? "a host address" : fmt::format("address {:#x}", address);
}

}  // namespace vgpu
