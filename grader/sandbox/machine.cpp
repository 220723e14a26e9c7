#include "sandbox/machine.hpp"

#include <fstream>

#include <fmt/format.h>

namespace grader {
namespace {

constexpr std::string_view kInstall =
    "install it: `apt-get install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora)";

/// The first number in a file of /proc/sys; `otherwise` if the kernel has no such file.
long read_setting(const char* path, long otherwise) {
  std::ifstream in(path);
  long value = otherwise;
  return in >> value ? value : otherwise;
}

/// Advice for the kernel switches that forbid user namespaces to ordinary users; they differ by distribution.
std::string user_namespace_advice() {
  if (read_setting("/proc/sys/user/max_user_namespaces", 1) == 0)
    return "as root: `sysctl -w user.max_user_namespaces=15000`";
  if (read_setting("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0)
    return "as root: `sysctl -w kernel.unprivileged_userns_clone=1`";
  if (read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) != 0)
    return "as root: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or give /usr/bin/bwrap an "
           "AppArmor profile with the rule `userns,`";
  return "in a container, start it with `--privileged` or `--security-opt seccomp=unconfined`; otherwise ask "
         "your administrator to permit user namespaces";
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// True for bubblewrap's messages when the kernel refuses a user namespace (bubblewrap.c).
bool refused_user_namespace(std::string_view message) {
  for (const std::string_view words : {"No permissions to create", "Creating new namespace failed", "uid map",
                                       "user namespaces", "loopback: Failed RTM_NEWADDR"})
    if (contains(message, words)) return true;
  return false;
}

}  // namespace

Diagnostic bubblewrap_missing() {
  return diagnose(
      "WG-S01",
      "bubblewrap (the program bwrap) is not installed; submissions cannot be run safely without it",
      std::string(kInstall));
}

Diagnostic explain_probe_failure(const Diagnostic& failure, const std::string& bubblewrap_version) {
  if (contains(failure.what, "Unknown option"))
    return diagnose("WG-S01", fmt::format("{} is too old: {}", bubblewrap_version, failure.what),
                    fmt::format("bubblewrap 0.8 or later is needed; {}", kInstall));
  if (refused_user_namespace(failure.what))
    return diagnose("WG-S02", fmt::format("user namespaces are not permitted here: {}", failure.what),
                    user_namespace_advice());
  Diagnostic other = failure;
  other.next_step = "check that `bwrap --unshare-all --ro-bind / / true` works here as the current user";
  return other;
}

Diagnostic unkillable(const std::string& command) {
  return diagnose("WG-S04",
                  fmt::format("{} was killed but does not end; a device driver might hang", command),
                  "run `ps -eo pid,stat,wchan:32,args` to find processes in state D, then restart the "
                  "machine or reset the GPU");
}

}  // namespace grader
