// The devices that a result is based on: one of them, or both.
#pragma once

#include <array>
#include <string_view>

#include "toolchain/front_end.hpp"

namespace grader {

enum class Devices { virtual_gpu, cuda, both };
inline constexpr std::array kDevices = {Devices::virtual_gpu, Devices::cuda, Devices::both};

/// As in --device and in results.
constexpr std::string_view to_string(Devices devices) {
  if (devices == Devices::both) return "both";
  return devices == Devices::cuda ? "cuda" : "virtual";
}

constexpr Devices devices_of(DeviceKind kind) {
  return kind == DeviceKind::cuda ? Devices::cuda : Devices::virtual_gpu;
}

constexpr bool includes(Devices devices, DeviceKind kind) {
  return devices == Devices::both || devices == devices_of(kind);
}

/// The device whose times count: a real GPU's are measured.
constexpr DeviceKind timing_device(Devices devices) {
  return includes(devices, DeviceKind::cuda) ? DeviceKind::cuda : DeviceKind::virtual_gpu;
}

}  // namespace grader
