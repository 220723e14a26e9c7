#include "cudart/run_command.hpp"

#include <array>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vgpu/cudart/protocol/descriptor.hpp"

namespace testing {

RunningCommand::RunningCommand(const std::vector<std::string>& command, int device)
    : output_(::memfd_create("output", MFD_CLOEXEC)) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_, STDERR_FILENO);
  // A descriptor duplicated onto itself would keep its close-on-exec flag. A higher number avoids this case.
  const int high = device >= 0 ? ::fcntl(device, F_DUPFD_CLOEXEC, 10) : -1;
  if (high >= 0) posix_spawn_file_actions_adddup2(&actions, high, vgpu::cudart::kDeviceDescriptor);

  // Set even without a device, so that the program does not start its own.
  std::string variable =
      vgpu::cudart::kDeviceDescriptorVariable + ("=" + std::to_string(vgpu::cudart::kDeviceDescriptor));
  std::vector<char*> environment = {variable.data()};
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failure =
      posix_spawnp(&child_, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (high >= 0) ::close(high);
  if (failure != 0) throw std::runtime_error("cannot start " + command.front());
}

Finished RunningCommand::wait() {
  Finished finished;
  ::waitpid(child_, &finished.status, 0);
  ::lseek(output_, 0, SEEK_SET);
  std::array<char, 4096> piece;
  for (ssize_t count = 0; (count = ::read(output_, piece.data(), piece.size())) > 0;) {
    finished.output.append(piece.data(), static_cast<std::size_t>(count));
  }
  ::close(output_);
  return finished;
}

}  // namespace testing
