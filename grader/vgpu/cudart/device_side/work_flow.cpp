#include "vgpu/cudart/device_side/work_flow.hpp"

#include <algorithm>

#include "vgpu/cudart/device_side/lineage.hpp"

namespace vgpu::cudart {

void WorkFlow::begin(OperationId operation) {
  if (is_on_) record_.steps.push_back({.operation = operation});
}

void WorkFlow::add_source(std::uint32_t step) {
  if (step == latest()) return;
  std::vector<std::uint32_t>& sources = record_.steps.back().sources;
  const auto place = std::lower_bound(sources.begin(), sources.end(), step);
  if (place != sources.end() && *place == step) return;
  sources.insert(place, step);
  ++source_count_;
}

void WorkFlow::read(std::uint64_t start, std::uint64_t end) {
  if (junction_) add_source(*junction_);
  made_by_.visit(start, end, [&](std::uint64_t, std::uint64_t, std::uint32_t step) { add_source(step); });
}

void WorkFlow::bind(std::uint64_t start, std::uint64_t size_bytes) {
  const std::pair range(start, start + size_bytes);
  if (!is_on_ || bound_.size() == kMaxBound) return;
  if (std::find(bound_.begin(), bound_.end(), range) == bound_.end()) bound_.push_back(range);
}

void WorkFlow::access(const std::vector<MemoryAccess>& accesses) {
  if (!is_tracked()) return;
  for (const MemoryAccess& one : accesses)
    if (!one.is_write || one.is_atomic) read(one.start, one.end());
  for (const MemoryAccess& one : accesses)
    if (one.is_write) made_by_.set(one.start, one.end(), latest());
  if (made_by_.size() > kMaxRanges || source_count_ > kMaxSources) join();
}

void WorkFlow::join() {
  if (junction_) add_source(*junction_);
  made_by_.visit_all([&](std::uint64_t, std::uint64_t, std::uint32_t step) { add_source(step); });
  made_by_ = {};
  junction_ = latest();
}

void WorkFlow::launched(const LaunchRecord& launch) {
  const vgpu::Counters& counters = launch.counters;
  if (is_tracked() && counters.texture_fetches.requests + counters.surface_loads.requests > 0)
    for (const auto& [start, end] : bound_) read(start, end);
  if (!hides_accesses(launch)) return access(launch.accesses);
  if (!is_tracked()) return;
  record_.steps.back().is_hidden = true;
  join();
}

void WorkFlow::read_host() {
  if (is_tracked()) record_.steps.back().reads_host = true;
}

void WorkFlow::sent(std::size_t first_word, std::size_t end_word) {
  if (!is_tracked()) return;
  FlowStep& step = record_.steps.back();
  // The pieces of one copy follow each other.
  if (step.end_sent != first_word) step.first_sent = first_word;
  step.end_sent = end_word;
}

void WorkFlow::delivered(std::size_t first_word, std::size_t end_word) {
  if (!is_tracked()) return;
  FlowStep& step = record_.steps.back();
  // The pieces of one copy follow each other.
  if (step.end_word != first_word) step.first_word = first_word;
  step.end_word = end_word;
}

WorkFlowRecord WorkFlow::take() { return std::move(record_); }

}  // namespace vgpu::cudart
