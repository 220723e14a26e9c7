// Records which kernels and copies use the results of which others, and which of the words that the host
// received they delivered. The judge derives from it which work is on the way from inputs to results: other
// work does not count as overlapped. Work is recorded in the order of execution. Beyond the limits, later
// work counts as using the results of all earlier work: a doubt costs the student nothing. Not thread safe.
// Covered by tests/cudart/work_flow_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "vgpu/cudart/device_side/range_map.hpp"
#include "vgpu/model/operation.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

struct FlowStep {
  OperationId operation = 0;
  std::vector<std::uint32_t> sources;  ///< earlier steps whose bytes it read, without repeats; indices
  bool reads_host = false;             ///< a copy to the device, or a kernel that reads the host's memory
  bool is_hidden = false;              ///< a kernel that accessed memory in too many places to be recorded
  /// The words in TransferredWords::to_host that it delivered.
  std::size_t first_word = 0, end_word = 0;
  /// The words in TransferredWords::to_device that it brought.
  std::size_t first_sent = 0, end_sent = 0;
};

struct WorkFlowRecord {
  std::vector<FlowStep> steps;
};

class WorkFlow {
 public:
  static constexpr std::size_t kMaxRanges = std::size_t{1} << 17U;
  static constexpr std::size_t kMaxSources = std::size_t{1} << 20U;
  static constexpr std::size_t kMaxBound = 1024;

  explicit WorkFlow(bool is_on) : is_on_(is_on) {}

  void begin(OperationId operation);
  /// Memory of a texture or a surface, whose texels a kernel reads without an access that is recorded.
  /// Kernels that fetch count as reading all of it. Of the first kMaxBound different ranges only.
  void bind(std::uint64_t start, std::uint64_t size_bytes);
  // The following belong to the latest step.
  /// Reads come before writes, in whatever order they are listed.
  void access(const std::vector<MemoryAccess>& accesses);
  /// `launch.accesses` must still have the reads.
  void launched(const LaunchRecord& launch);
  void read_host();
  void sent(std::size_t first_word, std::size_t end_word);
  void delivered(std::size_t first_word, std::size_t end_word);

  WorkFlowRecord take();

 private:
  void read(std::uint64_t start, std::uint64_t end);
  bool is_tracked() const { return is_on_ && !record_.steps.empty(); }
  std::uint32_t latest() const { return static_cast<std::uint32_t>(record_.steps.size() - 1); }
  void add_source(std::uint32_t step);
  /// From now on, which earlier step wrote what is unknown: the latest step counts as using all results, and
  /// all later reads as using its results.
  void join();

  bool is_on_;
  WorkFlowRecord record_;
  RangeMap<std::uint32_t> made_by_;        ///< the step that wrote the bytes last
  std::optional<std::uint32_t> junction_;  ///< the latest step that called join()
  std::size_t source_count_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bound_;  ///< starts and ends
};

}  // namespace vgpu::cudart
