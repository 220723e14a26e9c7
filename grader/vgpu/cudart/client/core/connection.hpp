// How a program gets its device: from a grader, from `warpgrade run`, or one of its own, which the library
// starts from the `warpgrade` that lies beside it. Covered by tests/standalone/.
#pragma once

#include <string>

namespace vgpu::cudart::client {

struct Connection {
  int socket = -1;          ///< connected to a device; -1: there is none
  bool own_device = false;  ///< a process that serves this program alone
  std::string problem;      ///< why there is none
};

Connection connect_to_device();

/// Tells the program's own device that there is no more to come and waits until it has said its last words.
void end_own_device(int socket);

}  // namespace vgpu::cudart::client
