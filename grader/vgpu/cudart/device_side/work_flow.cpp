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

void WorkFlow::access(const std::vector<MemoryAccess>& accesses) {
  if (!is_tracked()) return;
  for (const MemoryAccess& one : accesses) {
    if (one.is_write && !one.is_atomic) continue;
    if (junction_) add_source(*junction_);
    made_by_.visit(one.start, one.end(),
                   [&](std::uint64_t, std::uint64_t, std::uint32_t step) { add_source(step); });
  }
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
