// One running submission: its box, its end of the channel and, on the virtual GPU, its device.
#pragma once

#include <atomic>
#include <future>
#include <optional>

#include "base/descriptor.hpp"
#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "runner/case_run.hpp"
#include "sandbox/box.hpp"
#include "vgpu/cudart/device_side/busy_time.hpp"
#include "vgpu/run/device.hpp"

namespace grader {

struct VirtualDevice {
  vgpu::Profile profile;
  vgpu::DeviceOptions options;
  vgpu::cudart::KeptCommands kept_commands{};
};

class Program {
 public:
  /// Starts the program. `job` holds command, mounts, variables and limits; the descriptors are added here.
  /// Throws std::system_error when no sockets are available.
  Program(const Sandbox& sandbox, BoxJob job, std::optional<VirtualDevice> device);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The grader's end of the channel; the other end is closed when the box has ended.
  int channel() const { return channel_.ours.get(); }

  /// Waits for box and device.
  void finish();
  const Expected<BoxResult, Diagnostic>& box() const { return *box_; }
  const vgpu::cudart::SessionReport& session() const { return session_; }
  /// The virtual GPU, with the memory that the program left; nullptr on a real GPU.
  const vgpu::Device* device() const { return device_ ? &*device_ : nullptr; }

 private:
  struct SocketPair {
    SocketPair();
    Descriptor ours, theirs;
  };

  Expected<BoxResult, Diagnostic> run_box(const Sandbox& sandbox);

  BoxJob job_;
  SocketPair channel_, device_socket_;
  std::atomic<bool> device_stop_{false};
  vgpu::cudart::BusyTime device_busy_;
  std::optional<vgpu::Device> device_;
  std::future<vgpu::cudart::SessionReport> device_running_;
  std::future<Expected<BoxResult, Diagnostic>> box_running_;
  std::optional<Expected<BoxResult, Diagnostic>> box_;
  vgpu::cudart::SessionReport session_;
};

}  // namespace grader
