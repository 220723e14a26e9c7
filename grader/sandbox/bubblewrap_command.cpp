#include "sandbox/bubblewrap_command.hpp"

#include <initializer_list>
#include <string_view>
#include <system_error>

#include "sandbox/launch.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

void add(Arguments& arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
}

/// No network, no other processes, no privileges, no terminal (TIOCSTI, CVE-2017-5226), no environment, no
/// way to create further user namespaces and gain privileges in them. Not --die-with-parent: a bubblewrap
/// that dies between creating the box's first process and releasing it leaves that process waiting for ever.
/// box-init ends the box if the grader dies.
void add_isolation(Arguments& arguments) {
  const std::string user = std::to_string(kBoxUser);
  add(arguments, {"--unshare-all", "--unshare-user", "--disable-userns", "--new-session", "--as-pid-1",
                  "--clearenv", "--uid", user, "--gid", user, "--cap-drop", "ALL", "--hostname", "sandbox"});
}

/// Programs and libraries, read-only, arranged as on the host: /bin is a symbolic link into /usr on
/// merged-/usr systems and a folder on others. Of /etc, only the files that the loader and Debian's compiler
/// names need.
void add_system(Arguments& arguments) {
  add(arguments, {"--ro-bind", "/usr", "/usr"});
  for (const std::string folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code missing;
    if (fs::is_symlink(folder, missing))
      add(arguments, {"--symlink", fs::read_symlink(folder, missing).string(), folder});
    else if (fs::is_directory(folder, missing))
      add(arguments, {"--ro-bind", folder, folder});
  }
  // The runtime library reads debug information to find the program's source lines; reading that of the
  // system's libraries, where installed, would take a tenth of a second.
  const std::string debug_information = "/usr/lib/debug";
  std::error_code missing;
  if (fs::is_directory(debug_information, missing))
    add(arguments, {"--perms", "0555", "--tmpfs", debug_information, "--remount-ro", debug_information});
  for (const std::string file : {"/etc/alternatives", "/etc/ld.so.cache"})
    add(arguments, {"--ro-bind-try", file, file});
}

/// /tmp and /dev/shm are the only writable folders; both are in memory and have a size limit.
void add_scratch(Arguments& arguments, const BoxLimits& limits) {
  const std::string size = std::to_string(limits.scratch_bytes);
  add(arguments, {"--proc", "/proc", "--dev", "/dev"});
  add(arguments, {"--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp"});
}

const char* bind_option(BoxMount::Access access) {
  switch (access) {
    case BoxMount::Access::read_write:
      return "--bind";
    case BoxMount::Access::device:
      return "--dev-bind";
    case BoxMount::Access::read_only:
      break;
  }
  return "--ro-bind";
}

}  // namespace

std::vector<std::string> bubblewrap_command(const fs::path& bubblewrap, const BoxJob& job,
                                            const std::vector<BoxMount>& mounts,
                                            const BubblewrapDescriptors& descriptors) {
  Arguments arguments{bubblewrap.string()};
  add_isolation(arguments);
  add(arguments,
      {"--info-fd", std::to_string(descriptors.info), "--seccomp", std::to_string(descriptors.filter)});
  for (const auto& [name, value] : job.environment) add(arguments, {"--setenv", name, value});
  add_system(arguments);
  add_scratch(arguments, job.limits);
  for (const BoxMount& mount : mounts)
    add(arguments, {bind_option(mount.access), mount.outside.string(), mount.inside.string()});
  // The folders that bubblewrap created for the mounts above are on file systems without a size limit.
  add(arguments, {"--remount-ro", "/", "--remount-ro", "/dev", "--chdir", job.working_folder, "--"});
  return arguments;
}

}  // namespace grader
