#include "vgpu/cudart/device_side/work_flow.hpp"

#include <algorithm>

#include "vgpu/cudart/device_side/lineage.hpp"

namespace vgpu::cudart {
namespace {

void sort_unique(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

void WorkFlow::begin(OperationId operation) {
  if (is_on_ && record_.is_complete) record_.steps.push_back({.operation = operation});
}

void WorkFlow::access(const std::vector<MemoryAccess>& accesses) {
  if (!is_tracked()) return;
  const std::uint32_t self = latest();
  std::vector<std::uint32_t>& sources = record_.steps.back().sources;
  const std::size_t known = sources.size();
  for (const MemoryAccess& one : accesses) {
    if (one.is_write && !one.is_atomic) continue;
    made_by_.visit(one.start, one.end(), [&](std::uint64_t, std::uint64_t, std::uint32_t step) {
      if (step != self) sources.push_back(step);
    });
    // What a hidden kernel wrote is unknown: it can be anything that is read later.
    sources.insert(sources.end(), hidden_.begin(), hidden_.end());
    sort_unique(sources);
  }
  source_count_ += sources.size() - std::min(known, sources.size());
  for (const MemoryAccess& one : accesses)
    if (one.is_write) made_by_.set(one.start, one.end(), self);
  check_limits();
}

void WorkFlow::access_unknown() {
  if (!is_tracked()) return;
  FlowStep& step = record_.steps.back();
  made_by_.visit_all(
      [&](std::uint64_t, std::uint64_t, std::uint32_t maker) { step.sources.push_back(maker); });
  sort_unique(step.sources);
  source_count_ += step.sources.size();
  step.is_hidden = true;
  hidden_.push_back(latest());
  check_limits();
}

void WorkFlow::launched(const LaunchRecord& launch) {
  if (hides_accesses(launch))
    access_unknown();
  else
    access(launch.accesses);
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

void WorkFlow::check_limits() {
  if (made_by_.size() <= kMaxRanges && source_count_ <= kMaxSources) return;
  record_ = {.steps = {}, .is_complete = false};
}

WorkFlowRecord WorkFlow::take() { return std::move(record_); }

}  // namespace vgpu::cudart
