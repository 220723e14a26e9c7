// Where a program finds its device. The first of these that its environment names is used; a program that
// finds neither starts a device of its own (client/connection.hpp).
#pragma once

namespace vgpu::cudart {

/// Number of an inherited descriptor: a connected stream socket. Graders hand it out, one for each program.
inline constexpr const char* kDeviceDescriptorVariable = "WARPGRADE_DEVICE_FD";
inline constexpr int kDeviceDescriptor = 4;  ///< the one that graders choose

/// Path of a listening Unix socket: `warpgrade run` serves every program that connects to it.
inline constexpr const char* kDeviceSocketVariable = "WARPGRADE_DEVICE_SOCKET";

/// The word after `warpgrade` that makes it the device of one program, which is at the descriptor below.
inline constexpr const char* kServeDeviceCommand = "serve-device";
inline constexpr int kServeDeviceDescriptor = 3;

}  // namespace vgpu::cudart
