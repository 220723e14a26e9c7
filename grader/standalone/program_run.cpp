#include "standalone/program_run.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "vgpu/cudart/protocol/descriptor.hpp"

namespace grader {
namespace {

std::atomic<pid_t> running_command = 0;

/// While a command runs, this process ignores Ctrl-C and Ctrl-\ and forwards SIGTERM and SIGHUP to the
/// command.
class SignalsOfCommand {
 public:
  SignalsOfCommand() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction action {};
      const bool from_terminal = kSignals[i] == SIGINT || kSignals[i] == SIGQUIT;
      action.sa_handler = from_terminal ? SIG_IGN : forward;
      action.sa_flags = SA_RESTART;
      ::sigaction(kSignals[i], &action, &before_[i]);
    }
  }
  ~SignalsOfCommand() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  SignalsOfCommand(const SignalsOfCommand&) = delete;
  SignalsOfCommand& operator=(const SignalsOfCommand&) = delete;

 private:
  static void forward(int signal) {
    if (const pid_t command = running_command) ::kill(command, signal);
  }
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
};

/// Accepts programs at a socket and serves each in a thread of its own.
class DeviceHost {
 public:
  DeviceHost(const std::string& path, const DeviceSettings& settings)
      : settings_(settings),
        listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
        over_(::eventfd(0, EFD_CLOEXEC)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    constexpr int kWaitingPrograms = 64;
    is_open_ = ::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
               ::listen(listening_, kWaitingPrograms) == 0;
    accepting_ = std::thread([this] { accept_programs(); });
  }
  ~DeviceHost() {
    finish();
    ::close(listening_);
    ::close(over_);
  }
  DeviceHost(const DeviceHost&) = delete;
  DeviceHost& operator=(const DeviceHost&) = delete;

  bool is_open() const { return is_open_; }

  /// Accepts no more programs and waits for the connected ones.
  std::vector<vgpu::cudart::SessionReport> finish() {
    ::eventfd_write(over_, 1);
    if (accepting_.joinable()) accepting_.join();
    std::vector<vgpu::cudart::SessionReport> reports;
    for (Served& one : served_) {
      one.thread.join();
      reports.push_back(std::move(one.report));
    }
    served_.clear();
    return reports;
  }

 private:
  struct Served {
    vgpu::cudart::SessionReport report;
    std::thread thread;
  };

  void accept_programs() {
    pollfd waiting[] = {{.fd = listening_, .events = POLLIN, .revents = 0},
                        {.fd = over_, .events = POLLIN, .revents = 0}};
    // A program that connected and ended before poll() returned is served, too.
    while (::poll(waiting, 2, -1) < 0 || (waiting[0].revents & POLLIN) != 0 || waiting[1].revents == 0) {
      const int program = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (program < 0) continue;
      Served& one = served_.emplace_back();
      one.thread = std::thread([this, program, &one] {
        one.report = serve_program(program, settings_);
        ::close(program);
      });
    }
  }

  const DeviceSettings& settings_;
  int listening_, over_;
  bool is_open_ = false;
  std::list<Served> served_;  ///< used by the accepting thread until that has ended
  std::thread accepting_;
};

std::vector<std::string> environment_with(const std::string& socket_path) {
  const auto names = [](const std::string& entry, const char* variable) {
    return entry.starts_with(std::string(variable) + "=");
  };
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!names(text, vgpu::cudart::kDeviceDescriptorVariable) &&
        !names(text, vgpu::cudart::kDeviceSocketVariable))
      entries.push_back(text);
  }
  entries.push_back(std::string(vgpu::cudart::kDeviceSocketVariable) + "=" + socket_path);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// 0, or the errno value if the command could not be started. The command gets the default action of signals
/// that this process ignores.
int start(std::vector<std::string> command, std::vector<std::string> environment, bool is_silent,
          pid_t& child) {
  sigset_t usual;
  sigemptyset(&usual);
  for (int signal : {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (is_silent) posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  const std::vector<char*> words = pointers(command), variables = pointers(environment);
  const int failure = ::posix_spawnp(&child, words[0], &files, &attributes, words.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return failure;
}

}  // namespace

bool ProgramRun::faulted() const {
  // Neither the warning that not all races were searched for is an error of the kernel, nor is a note.
  const auto is_mistake = [](const vgpu::Fault& finding) {
    return finding.kind != vgpu::FaultKind::races_not_recorded && !finding.is_harmless;
  };
  const auto is_wrong = [&](const vgpu::LaunchRecord& launch) {
    return !launch.faults.empty() || std::any_of(launch.findings.begin(), launch.findings.end(), is_mistake);
  };
  return std::any_of(programs.begin(), programs.end(), [&](const vgpu::cudart::SessionReport& program) {
    return std::any_of(program.launches.begin(), program.launches.end(), is_wrong);
  });
}

Expected<ProgramRun, std::string> run_program(const std::vector<std::string>& command,
                                              const DeviceSettings& settings) {
  const TemporaryFolder folder("warpgrade-run");
  const std::string socket_path = folder.path() / "device";
  DeviceHost host(socket_path, settings);
  if (!host.is_open()) return Unexpected<std::string>{"cannot open a socket at " + socket_path};

  int status = 0;
  {
    const SignalsOfCommand signals;
    pid_t child = 0;
    if (const int failure = start(command, environment_with(socket_path), settings.is_silent, child);
        failure != 0)
      return Unexpected<std::string>{"cannot start " + command.front() + ": " + std::strerror(failure)};
    running_command = child;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    running_command = 0;
  }
  ProgramRun run;
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  run.programs = host.finish();
  return run;
}

}  // namespace grader
