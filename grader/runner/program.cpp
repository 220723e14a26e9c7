#include "runner/program.hpp"

#include <cerrno>
#include <system_error>

#include <sys/socket.h>

#include "harness/job.hpp"

namespace grader {
namespace {

vgpu::cudart::SessionReport serve_device(int socket, vgpu::Device& device,
                                         vgpu::cudart::KeptCommands kept_commands,
                                         vgpu::cudart::BusyTime& busy, const std::atomic<bool>& stop) {
  vgpu::cudart::ServeOptions options;
  options.kept_commands = kept_commands;
  options.delays_copies = true;
  options.keeps_words = true;
  options.spoils_pinned_memory = true;
  options.stop = &stop;
  options.busy = &busy;
  auto report = vgpu::cudart::serve(socket, device, options);
  ::shutdown(socket, SHUT_RDWR);  // a program that sent an invalid message must not wait for an answer
  return report;
}

}  // namespace

Program::SocketPair::SocketPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  ours.reset(ends[0]);
  theirs.reset(ends[1]);
}

Program::Program(const Sandbox& sandbox, BoxJob job, std::optional<VirtualDevice> device)
    : job_(std::move(job)) {
  job_.descriptors.emplace_back(channel_.theirs.get(), harness::kChannelDescriptor);
  if (device) {
    job_.descriptors.emplace_back(device_socket_.theirs.get(), vgpu::cudart::kDeviceDescriptor);
    device->options.stop = &device_stop_;
    device_.emplace(std::move(device->profile), device->options);
    device_running_ = std::async(std::launch::async, [this, kept_commands = device->kept_commands] {
      return serve_device(device_socket_.ours.get(), *device_, kept_commands, device_busy_, device_stop_);
    });
    // How long a launch takes here depends on the machine, so the launch has a limit of instructions instead.
    job_.excused_time = [this] { return device_busy_.so_far(); };
  }
  box_running_ = std::async(std::launch::async, [this, &sandbox] { return run_box(sandbox); });
}

// The futures wait for their threads.
Program::~Program() { device_stop_ = true; }

/// Readers of our ends of the sockets see end-of-file when the box has ended, not earlier: bubblewrap and the
/// box's first process hold the other ends as well.
Expected<BoxResult, Diagnostic> Program::run_box(const Sandbox& sandbox) {
  auto result = sandbox.run(job_);
  channel_.theirs.reset();
  device_socket_.theirs.reset();
  return result;
}

void Program::finish() {
  if (box_) return;
  box_ = box_running_.get();
  if (!device_running_.valid()) return;
  // A program that exited can have launched kernels without waiting for them. They get the rest of its time.
  const bool left_by_itself = *box_ && (*box_)->end == BoxResult::End::exited;
  if (left_by_itself) device_running_.wait_for(kMostPatience * job_.limits.wall - (*box_)->wall);
  device_stop_ = true;
  session_ = device_running_.get();
}

}  // namespace grader
