#include "standalone/program_device.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "judge/faults.hpp"
#include "judge/findings.hpp"
#include "judge/program.hpp"
#include "report/diagnostic_text.hpp"
#include "standalone/source_of_fault.hpp"
#include "vgpu/facts/findings.hpp"

namespace grader {
namespace {

constexpr std::size_t kMaxLaunchRecords = std::size_t{1} << 18U;

/// Sets a flag when the other end of a socket is closed, even while no thread reads from the socket.
class HangUpWatch {
 public:
  explicit HangUpWatch(int socket)
      : over_(::eventfd(0, EFD_CLOEXEC)), thread_([this, socket] { wait(socket); }) {}
  ~HangUpWatch() {
    ::eventfd_write(over_, 1);
    thread_.join();
    ::close(over_);
  }
  HangUpWatch(const HangUpWatch&) = delete;
  HangUpWatch& operator=(const HangUpWatch&) = delete;

  const std::atomic<bool>* flag() const { return &hung_up_; }

 private:
  void wait(int socket) {
    pollfd waiting[] = {{.fd = socket, .events = 0, .revents = 0},
                        {.fd = over_, .events = POLLIN, .revents = 0}};
    while (::poll(waiting, 2, -1) <= 0) continue;
    hung_up_ = (waiting[0].revents & (POLLHUP | POLLERR)) != 0;
  }

  int over_;
  std::atomic<bool> hung_up_ = false;
  std::thread thread_;
};

/// The path relative to the current folder if the file is in it, as the compiler was given host code's files.
std::string from_here(const std::string& file) {
  std::error_code error;
  const auto relative = std::filesystem::proximate(file, error);
  return error || relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

std::uint64_t memory_of_machine() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Prints diagnostics on stderr. A finding that later launches repeat is printed once.
class FaultReporter {
 public:
  explicit FaultReporter(const Terminal& terminal) : terminal_(terminal) {}

  void report(const vgpu::LaunchRecord& launch, const vgpu::cudart::MemoryNames& memory) {
    for (const vgpu::Fault& fault : launch.faults)
      report(diagnose_fault(fault, {}, source_of(fault), memory), from_here(fault.file));
    for (const vgpu::Fault& finding : launch.findings) {
      const bool is_known = std::any_of(reported_.begin(), reported_.end(), [&](const vgpu::Fault& known) {
        return vgpu::is_same_finding(known, finding) && (!known.is_harmless || finding.is_harmless);
      });
      if (is_known) continue;
      reported_.push_back(finding);
      report(diagnose_finding(finding, {}, source_of(finding), memory), from_here(finding.file));
    }
    std::fflush(stderr);
  }
  void report(const Diagnostic& diagnostic, const std::string& file) {
    std::fputs(diagnostic_text(diagnostic, file, terminal_).c_str(), stderr);
  }

 private:
  Terminal terminal_;
  std::vector<vgpu::Fault> reported_;
};

}  // namespace

vgpu::cudart::SessionReport serve_program(int socket, const DeviceSettings& settings) {
  const HangUpWatch program(socket);
  FaultReporter reporter(detect_terminal(STDERR_FILENO, ColorChoice::automatic));
  vgpu::DeviceOptions device_options;
  device_options.cpu_threads =
      settings.cpu_threads > 0 ? settings.cpu_threads : std::max(std::thread::hardware_concurrency(), 1U);
  device_options.step_limit = settings.step_limit;
  device_options.stop = program.flag();
  device_options.checks = settings.checks;
  device_options.records = settings.records;
  device_options.finds_approximations = true;
  device_options.trusts_machine_code = true;  // the program is the user's own and is not scored
  vgpu::Profile profile = settings.profile;
  profile.global_bytes = settings.memory_bytes.value_or(memory_of_machine() / 4 * 3);
  vgpu::Device device(std::move(profile), device_options);

  vgpu::cudart::ServeOptions options;
  options.max_launch_records = kMaxLaunchRecords;
  if (!settings.is_silent)
    options.on_launch = [&reporter](const vgpu::LaunchRecord& launch,
                                    const vgpu::cudart::MemoryNames& memory) {
      reporter.report(launch, memory);
    };
  auto report = vgpu::cudart::serve(socket, device, options);
  if (settings.is_silent) return report;
  for (const Diagnostic& note : diagnose_program(report, source_text)) reporter.report(note, "");
  if (!report.protocol_error.empty())
    std::fprintf(stderr, "warpgrade: the device ended the session: %s\n", report.protocol_error.c_str());
  return report;
}

}  // namespace grader
