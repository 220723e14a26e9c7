// The times of what one program asks of the device: which operation of which stream runs when, on the model's
// timeline. The work itself is done at once, in the order of the calls; only its time is told here. Copies
// are told by the program, kernels are seen by the device; what is graded is kernel time alone, never this.
// Not thread safe. Covered by tests/cudart/stream_times_test.cpp.
#pragma once

#include <vector>

#include "vgpu/cudart/protocol.hpp"
#include "vgpu/device.hpp"
#include "vgpu/model/timeline.hpp"

namespace vgpu::cudart {

class StreamTimes {
 public:
  explicit StreamTimes(const Profile& profile) : profile_(profile), timeline_(profile) {}

  void add_kernel(const LaunchRecord& launch, std::uint32_t stream);
  OperationNumber add(const StreamOperation& operation);
  void define(const DefineStream& stream);
  void wait(const WaitFor& awaited);
  /// Asking takes the host time, so that a program that asks again and again comes to an end.
  OperationState ask(const AskProgress& about);

  /// Lets everything end.
  std::vector<TimedOperation> finish() { return timeline_.finish(); }

 private:
  Profile profile_;
  Timeline timeline_;
};

}  // namespace vgpu::cudart
