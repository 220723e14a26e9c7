// The device of a program that was started without `warpgrade run`: the program's CUDA runtime library starts
// `warpgrade serve-device`.

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "standalone/program_device.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"

namespace grader::app {

int serve_device() {
  // The program waits for its child, which is this process. The device continues in a second process, which
  // is not a child of the program.
  const pid_t device = ::fork();
  if (device != 0) return device > 0 ? kPassed : kFault;
  // The device ends when the program ends, for whatever reason.
  for (int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP}) std::signal(signal, SIG_IGN);
  // Close the program's other descriptors, so that this process does not keep them open.
  ::close_range(vgpu::cudart::kServeDeviceDescriptor + 1, ~0U, 0);
  serve_program(vgpu::cudart::kServeDeviceDescriptor, {});
  return kPassed;
}

}  // namespace grader::app
