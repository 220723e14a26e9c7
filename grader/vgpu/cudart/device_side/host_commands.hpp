// Records what the host asks of the device: launches, copies, fills, and the values that go with them. The
// judge compares the records of two runs in which only the values of arrays differ: a host that decides by
// sizes and by its own arguments asks the same in both. Device addresses are equal in both, because they
// follow from the order of allocations; addresses of shared memory are recorded as the number of the memory
// and an offset. Not thread safe. Covered by tests/cudart/host_commands_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "vgpu/cudart/device_side/host_command_record.hpp"
#include "vgpu/cudart/device_side/host_memory.hpp"
#include "vgpu/cudart/protocol/box.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

class HostCommands {
 public:
  static constexpr std::size_t kMaxWords = std::size_t{4} << 20U;
  /// The part of a command's size that does not depend on its words.
  static constexpr std::size_t kWordsPerCommand = 64;

  HostCommands(const Device& device, const HostMemory& host, KeptCommands kept)
      : device_(device), host_(host), kept_(kept), is_informed_(kept == KeptCommands::all) {}

  /// Device memory of a __managed__ variable. The runtime copies it whenever one side has changed it, so that
  /// these copies are not recorded; its values are, like shared memory.
  void link(std::uint64_t start, std::uint64_t size_bytes);
  /// The host has received values, times or text from the device. They say nothing before the device has any
  /// values: clang's programs read managed variables when they are loaded.
  void inform() { is_informed_ = is_informed_ || has_values_; }

  void copied(HostCommand::Kind kind, const Rows& to, const Rows& from, const Box& box);
  /// A copy within the device has arrived.
  void delivered(const Rows& to, const Box& box);
  /// Called before the rows on the device change.
  void uploaded(const Rows& to, const Box& box, std::span<const std::byte> bytes);
  void filled(const Rows& to, const Box& box, std::uint32_t value, std::uint32_t value_bytes);
  void noted(HostCommand::Kind kind, std::vector<std::uint64_t> shape, std::span<const std::byte> bytes = {});
  /// Called before the launch.
  void launching(const Launch& launch, const std::vector<bool>& read_parameter_bytes);
  /// Called after it. `record.accesses` must still have the reads.
  void launched(const LaunchRecord& record);

  HostCommandRecord take() { return std::move(record_); }

 private:
  bool is_on() const { return kept_ != KeptCommands::none; }
  bool has_contents() const { return kept_ == KeptCommands::after_values; }
  bool is_recording() const { return is_on() && is_informed_ && record_.is_complete; }
  void keep(HostCommand command);
  bool is_linked(const Rows& rows) const;
  template <class Visit>
  void visit_shared(Visit visit) const;
  std::uint64_t place_of(std::uint64_t address) const;
  void append(std::vector<std::uint64_t>& shape, const Rows& rows) const;
  void append_shared(HostCommand& launch);

  const Device& device_;
  const HostMemory& host_;
  KeptCommands kept_;
  bool has_values_ = false;  ///< the host has uploaded or launched something
  bool is_informed_ = false;
  std::size_t words_ = 0;
  HostCommandRecord record_;
  std::map<std::uint64_t, std::uint64_t> linked_;  ///< sizes of variables, by start
  std::map<std::uint64_t, std::vector<std::byte>>
      known_;  ///< what the device stored last in shared memory, by start
};

}  // namespace vgpu::cudart
