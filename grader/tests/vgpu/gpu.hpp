// Helpers for tests of the virtual GPU: a device with one module, typed buffers, launches with packed
// parameters.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "vgpu/run/device.hpp"

namespace test {

inline std::string kernel_file(const std::string& name) {
  std::ifstream file(std::string(WARPGRADE_SOURCE_DIR "/grader/tests/kernels/vgpu/") + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A module of one kernel `k` with the given parameters and body.
inline std::string kernel_text(const std::string& parameters, const std::string& body,
                               const std::string& before = "") {
  return ".version 7.5\n.target sm_80\n.address_size 64\n.file 1 \"test.cu\"\n" + before +
         "\n.visible .entry k(" + parameters + ")\n{\n" + body + "\n}\n";
}

/// Packs parameters as a kernel's are laid out: each at a multiple of its size.
template <class... T>
std::vector<std::byte> pack(const T&... values) {
  // A value needs less padding than its size.
  std::vector<std::byte> bytes(((2 * sizeof(T)) + ... + std::size_t{0}));
  std::size_t end = 0;
  const auto append = [&](const auto& value) {
    const std::size_t at = (end + sizeof value - 1) / sizeof value * sizeof value;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    end = at + sizeof value;
  };
  (append(values), ...);
  bytes.resize(end);
  return bytes;
}

class Gpu {
 public:
  explicit Gpu(const std::string& text, vgpu::DeviceOptions options = {},
               vgpu::Profile profile = vgpu::lecture_profile())
      : device(std::move(profile), options) {
    const auto loaded = device.load_module(std::as_bytes(std::span(text)));
    if (!loaded) FAIL(loaded.error());
    module = *loaded;
  }

  template <class T>
  vgpu::DevicePtr upload(const std::vector<T>& values) {
    const auto address = device.allocate(values.size() * sizeof(T));
    REQUIRE(address);
    REQUIRE(device.write(*address, std::as_bytes(std::span(values))));
    return *address;
  }
  template <class T>
  vgpu::DevicePtr zeros(std::size_t count) {
    return upload(std::vector<T>(count));
  }
  template <class T>
  std::vector<T> download(vgpu::DevicePtr from, std::size_t count) const {
    std::vector<T> values(count);
    REQUIRE(device.read(from, std::as_writable_bytes(std::span(values))));
    return values;
  }

  vgpu::LaunchRecord launch(std::string_view kernel, vgpu::Dim3 grid, vgpu::Dim3 block,
                            const std::vector<std::byte>& parameters, std::size_t shared = 0) {
    return device.launch({module, kernel, grid, block, shared, parameters});
  }
  /// Launches and requires that nothing went wrong.
  vgpu::LaunchRecord run(std::string_view kernel, vgpu::Dim3 grid, vgpu::Dim3 block,
                         const std::vector<std::byte>& parameters, std::size_t shared = 0) {
    vgpu::LaunchRecord record = launch(kernel, grid, block, parameters, shared);
    INFO(record.error_detail << (record.faults.empty()
                                     ? ""
                                     : record.faults[0].instruction + " " + record.faults[0].detail));
    REQUIRE(record.error == vgpu::LaunchError::none);
    REQUIRE(record.faults.empty());
    return record;
  }
  /// Launches and requires one fault of this kind.
  vgpu::Fault fault(vgpu::FaultKind kind, std::string_view kernel, vgpu::Dim3 grid, vgpu::Dim3 block,
                    const std::vector<std::byte>& parameters, std::size_t shared = 0) {
    const vgpu::LaunchRecord record = launch(kernel, grid, block, parameters, shared);
    INFO(record.error_detail);
    REQUIRE(record.faults.size() == 1);
    INFO(record.faults[0].instruction << " " << record.faults[0].detail);
    REQUIRE(record.faults[0].kind == kind);
    REQUIRE(device.is_faulted());
    return record.faults[0];
  }

  vgpu::Device device;
  vgpu::ModuleId module = 0;
};

}  // namespace test
