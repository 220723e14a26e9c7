// Connects a program to its device: a grader's device, the device of `warpgrade run`, or a device of its own.
// The library starts its own device from the `warpgrade` program of the same installation. Covered by
// tests/standalone/.
#pragma once

#include <string>

namespace vgpu::cudart::client {

struct Connection {
  int socket = -1;          ///< connected to a device; -1 if there is none
  bool own_device = false;  ///< the device is a process that serves only this program
  std::string problem;      ///< why there is no device
};

Connection connect_to_device();

/// Closes the connection to the program's own device, and waits until the device has printed its report.
void end_own_device(int socket);

}  // namespace vgpu::cudart::client
