// The operations that a program issues to streams, before and after the timeline (timeline.hpp) has given
// them times.
#pragma once

#include <cstdint>
#include <string>

#include "vgpu/facts/dim3.hpp"

namespace vgpu {

enum class OperationKind : std::uint8_t {
  kernel,
  copy_to_device,
  copy_to_host,
  copy_on_device,
  fill,
  host_function,
  event_record,
  event_wait
};

enum class Engine : std::uint8_t { none, kernels, copy, copy_back, host };

using StreamId = std::uint32_t;
inline constexpr StreamId kLegacyStream = 0;
using OperationId = std::uint64_t;  ///< in the order of issue, from 0

enum class StreamKind : std::uint8_t { blocking, non_blocking };

struct Operation {
  OperationKind kind = OperationKind::kernel;
  StreamId stream = kLegacyStream;
  double duration_s = 0;  ///< on its engine, without other operations
  double share = 1;  ///< kernels: the fraction of the device that their blocks occupy, above 0 and at most 1
  OperationId event = 0;  ///< event_wait: the event_record for which it waits
  /// A copy that no call asked for: bytes of the host's memory that the kernel before or after it accesses.
  bool is_access = false;

  // For reports only.
  std::string name;
  Dim3 grid, block;
  std::uint64_t bytes = 0;
  bool is_pageable = false;
};

struct TimedOperation : Operation {
  OperationId id = 0;
  Engine engine = Engine::none;
  double issued_s = 0, start_s = 0, end_s = 0;
  bool is_useful =
      true;  ///< false: the program's results do not depend on it, or it does not depend on inputs
};

}  // namespace vgpu
