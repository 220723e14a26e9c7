// Where a program finds its device. The program uses the first of these environment variables that is set. If
// neither is set, it starts its own device (client/connection.hpp).
#pragma once

namespace vgpu::cudart {

/// Number of an inherited descriptor: a connected stream socket. The grader passes one socket to each
/// program.
inline constexpr const char* kDeviceDescriptorVariable = "WARPGRADE_DEVICE_FD";
inline constexpr int kDeviceDescriptor = 4;  ///< the number that graders use

/// Path of a listening Unix socket: `warpgrade run` serves every program that connects to it.
inline constexpr const char* kDeviceSocketVariable = "WARPGRADE_DEVICE_SOCKET";

/// The subcommand of `warpgrade` that serves a device to the program at the descriptor below.
inline constexpr const char* kServeDeviceCommand = "serve-device";
inline constexpr int kServeDeviceDescriptor = 3;

}  // namespace vgpu::cudart
