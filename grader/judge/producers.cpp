#include "judge/producers.hpp"

#include <algorithm>
#include <optional>

#include "judge/supply.hpp"

namespace grader {
namespace {

using vgpu::LaunchRecord;
using vgpu::cudart::LineageRecord;
using vgpu::cudart::MadeRange;

/// A launch that stored nothing is needed for no result.
bool has_stored(const LaunchRecord& launch) {
  return launch.error == vgpu::LaunchError::none && launch.counters.global_stores.requests +
                                                            launch.counters.global_atomics.requests +
                                                            launch.counters.surface_stores.requests >
                                                        0;
}

Producers::One producer(const LaunchRecord& launch, std::size_t number) {
  const std::uint64_t distinct = distinct_stored_bytes(launch);
  return {number, distinct != 0 ? distinct : launch.counters.global_stores.requested_bytes};
}

/// By launch: whether it stored a part of an output that is still there, or was not recorded.
std::vector<bool> direct_producers(const CaseRun& run, const harness::Job& job) {
  std::vector<bool> needed = run.session.lineage.is_hidden;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const std::uint64_t start = run.answer.addresses[i];
    const std::uint64_t end = start + element_count(job.outputs[i].shape) * sizeof(float);
    for (const MadeRange& one : run.session.lineage.ranges)
      if (one.start < end && one.end > start && one.maker.launch < needed.size())
        needed[one.maker.launch] = true;
  }
  return needed;
}

/// Adds the launches whose results the needed ones have read.
void add_sources(std::vector<bool>& needed, const LineageRecord& lineage) {
  for (std::size_t later = needed.size(); later-- > 0;) {
    if (!needed[later]) continue;
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (lineage.is_hidden[later] || lineage.sources[later][earlier]) needed[earlier] = true;
  }
}

bool is_known(const CaseRun& run, const harness::Job& job) {
  const auto& session = run.session;
  return session.lineage.is_complete && session.launches_dropped == 0 && !job.outputs.empty() &&
         session.lineage.sources.size() == session.launches.size() &&
         run.answer.addresses.size() == job.outputs.size() &&
         std::all_of(job.outputs.begin(), job.outputs.end(),
                     [](const auto& output) { return output.place == harness::Place::device; });
}

}  // namespace

Producers every_launch(const vgpu::cudart::SessionReport& session) {
  Producers all;
  for (std::size_t i = 0; i < session.launches.size(); ++i)
    if (session.launches[i].error == vgpu::LaunchError::none)
      all.launches.push_back(producer(session.launches[i], i));
  return all;
}

Producers producers_of(const CaseRun& run, const harness::Job& job) {
  if (!is_known(run, job)) return every_launch(run.session);
  std::vector<bool> needed = direct_producers(run, job);
  add_sources(needed, run.session.lineage);
  Producers producers;
  for (const harness::OutputSpec& output : job.outputs)
    producers.result_bytes += element_count(output.shape) * sizeof(float);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && has_stored(run.session.launches[i]))
      producers.launches.push_back(producer(run.session.launches[i], i));
  return producers;
}

}  // namespace grader
