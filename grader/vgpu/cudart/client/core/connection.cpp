#include "vgpu/cudart/client/core/connection.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vgpu/cudart/protocol/descriptor.hpp"

namespace vgpu::cudart::client {
namespace {

/// Larger than all descriptors with a meaning in the device process.
constexpr int kFirstFreeDescriptor = 10;

Connection inherited(const char* number) {
  int descriptor = -1;
  std::from_chars(number, number + std::strlen(number), descriptor);
  int type = 0;
  socklen_t size = sizeof type;
  const bool is_socket =
      ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
  if (!is_socket) {
    Connection none;
    none.problem.append(kDeviceDescriptorVariable).append(" does not name a connected socket");
    return none;
  }
  return {.socket = descriptor};
}

Connection connected_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t bytes = std::strlen(path) + 1;
  if (bytes > sizeof address.sun_path) return {.problem = "the device's socket path is too long"};
  std::memcpy(address.sun_path, path, bytes);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return {.socket = socket};
  if (socket >= 0) ::close(socket);
  return {.problem = std::string("no process serves a device at ") + path};
}

/// This library is in lib/virtual/, the program is in bin/ of the same folder.
std::filesystem::path warpgrade_program() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&connect_to_device), &here) == 0 || !here.dli_fname) return {};
  std::error_code failure;
  const auto library = std::filesystem::canonical(here.dli_fname, failure);
  return library.parent_path().parent_path().parent_path() / "bin" / "warpgrade";
}

/// The started process forks the device and exits immediately. So the program never has a child process that
/// it did not start.
bool start_device(const std::filesystem::path& program, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, kServeDeviceDescriptor);
  std::string name = program.string(), command = kServeDeviceCommand;
  char* const arguments[] = {name.data(), command.data(), nullptr};
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return false;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return true;
}

Connection own_device() {
  const auto program = warpgrade_program();
  if (::access(program.c_str(), X_OK) != 0) return {.problem = "there is no program " + program.string()};
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return {.problem = "the system cannot create a socket"};
  const int theirs = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstFreeDescriptor);
  ::close(ends[1]);
  const bool started = theirs >= 0 && start_device(program, theirs);
  if (theirs >= 0) ::close(theirs);
  if (started) return {.socket = ends[0], .own_device = true};
  ::close(ends[0]);
  return {.problem = "cannot start " + program.string()};
}

}  // namespace

Connection connect_to_device() {
  if (const char* number = std::getenv(kDeviceDescriptorVariable)) return inherited(number);
  if (const char* path = std::getenv(kDeviceSocketVariable)) return connected_to(path);
  return own_device();
}

void end_own_device(int socket) {
  ::shutdown(socket, SHUT_WR);
  char ignored[64];
  ssize_t count = 0;
  while ((count = ::read(socket, ignored, sizeof ignored)) > 0 || (count < 0 && errno == EINTR)) continue;
  ::close(socket);
}

}  // namespace vgpu::cudart::client
