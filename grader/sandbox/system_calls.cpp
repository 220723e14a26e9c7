#include "sandbox/system_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptor.hpp"

namespace grader {
namespace {

constexpr std::uint64_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release) {
    good_ = context_ != nullptr &&
            ::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;
  }

  /// Names that this version of libseccomp does not know are skipped.
  template <class... Conditions>
  void refuse(const char* name, int error, Conditions... conditions) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (!good_ || number == __NR_SCMP_ERROR) return;
    good_ = ::seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number,
                               sizeof...(conditions), conditions...) == 0;
  }

  std::optional<std::string> program() const {
    const Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
    if (!good_ || !file || ::seccomp_export_bpf(context_.get(), file.get()) != 0) return std::nullopt;
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    std::string bytes(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
    if (::pread(file.get(), bytes.data(), bytes.size(), 0) != size) return std::nullopt;
    return bytes;
  }

 private:
  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
  bool good_ = false;
};

/// A process has all privileges inside a new user namespace. clone3 reads its flags from memory, which a
/// filter cannot inspect; with ENOSYS, C libraries fall back to clone.
void refuse_namespaces(Filter& filter) {
  filter.refuse("clone3", ENOSYS);
  for (std::uint64_t flag = 1; flag <= kNewNamespaces; flag <<= 1U)
    if ((kNewNamespaces & flag) != 0) filter.refuse("clone", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
}

/// These requests insert text into a terminal's input as if it were typed (CVE-2017-5226, CVE-2023-28100).
void refuse_typing(Filter& filter) {
  for (const std::uint64_t request : {std::uint64_t{TIOCSTI}, std::uint64_t{0x541C /* TIOCLINUX */}})
    filter.refuse("ioctl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, request));
}

/// A lock on a file that several boxes can access would be a channel between them.
void refuse_locks(Filter& filter) {
  filter.refuse("flock", EPERM);
  for (const std::uint64_t command : {std::uint64_t{F_SETLK}, std::uint64_t{F_SETLKW},
                                      std::uint64_t{F_OFD_SETLK}, std::uint64_t{F_OFD_SETLKW}})
    filter.refuse("fcntl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, command));
}

}  // namespace

const std::vector<std::string_view>& refused_system_calls() {
  static const std::vector<std::string_view> kRefused{
      // other processes
      "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
      "process_mrelease",
      // keys, which persist after a box and are not in a namespace
      "add_key", "request_key", "keyctl",
      // large kernel interfaces with a history of vulnerabilities, which no boxed program needs
      "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "bpf",
      "fanotify_init", "lookup_dcookie", "modify_ldt", "vhangup",
      // namespaces and mounts
      "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
      "fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at",
      // the machine
      "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "swapon",
      "swapoff", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
      "iopl", "ioperm", "acct", "quotactl", "quotactl_fd", "syslog", "personality"};
  return kRefused;
}

std::optional<std::string> system_call_filter(SystemCalls calls) {
  Filter filter;
  for (const std::string_view name : refused_system_calls()) filter.refuse(name.data(), EPERM);
  refuse_namespaces(filter);
  refuse_typing(filter);
  if (calls == SystemCalls::ordinary) {
    filter.refuse("socket", EPERM);
    filter.refuse("socketpair", EPERM);
    refuse_locks(filter);
  } else {
    filter.refuse("socket", EPERM, SCMP_A0(SCMP_CMP_NE, AF_UNIX));
  }
  return filter.program();
}

}  // namespace grader
