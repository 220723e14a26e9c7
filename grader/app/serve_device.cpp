// The device of a program that was started by itself: its runtime library runs `warpgrade serve-device`.

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "standalone/program_device.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"

namespace grader::app {

int serve_device() {
  // The program waits for its child, this process; the device goes on as nobody's child.
  const pid_t device = ::fork();
  if (device != 0) return device > 0 ? kPassed : kFault;
  // It ends when the program has ended, however that comes about.
  for (int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP}) std::signal(signal, SIG_IGN);
  // Whatever else the program had open must not stay open because of us.
  ::close_range(vgpu::cudart::kServeDeviceDescriptor + 1, ~0U, 0);
  serve_program(vgpu::cudart::kServeDeviceDescriptor, {});
  return kPassed;
}

}  // namespace grader::app
